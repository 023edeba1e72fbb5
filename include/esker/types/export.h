/* ESKER_API marks what a shared library esker exports; everything else stays inside. */
#ifndef ESKER_EXPORT_H
#define ESKER_EXPORT_H

#if defined(__GNUC__)
#define ESKER_API __attribute__((visibility("default")))
#else
#define ESKER_API
#endif

#endif
