// A saved page: which field is shown, and the value under the pointer. Texts are set as text, never as HTML.
window.eskerPage = (() => {
  const TEXTS = ["title", "status", "colors", "kinds"]
  const element = (id) => document.getElementById(id)
  let shown = null

  function start(figures, sources, kinds, facts, names, note) {
    const pages = figures.map((figure, n) => ({figure, source: sources[n], kinds: kinds[n], facts: facts[n]}))
    shown = {pages, names, note, page: pages[0]}
    for (const {facts} of pages) {
      const option = document.createElement("option")
      option.textContent = facts.name
      element("field").append(option)
    }
    for (const {figure} of pages)
      for (const name of ["inner_width", "inner_height"])
        figure.properties[name].change.connect(() => fit(figure))
    element("field").onchange = () => show(element("field").selectedIndex)
    show(0)
    document.body.dataset.ready = "1"
  }

  function show(number) {
    shown.page = shown.pages[number]
    for (const {figure} of shown.pages)
      element(`picture-${figure.name}`).hidden = figure !== shown.page.figure
    const {facts} = shown.page
    for (const name of TEXTS) element(name).textContent = facts[name]
    element("notes").textContent = [facts.notes, shown.note].filter((text) => text).join("\n")
    document.title = `${facts.title} - Esker`
    leave()
    fit(shown.page.figure)
  }

  // Shows all of the plane, with the same scale on both axes where they have the same units.
  function fit(figure) {
    const page = shown?.pages.find((one) => one.figure === figure)
    if (!page || !figure.inner_width || !figure.inner_height) return
    let [left, right, bottom, top] = page.facts.window
    if (page.facts.to_scale) {
      const scale = Math.max((right - left) / figure.inner_width, (top - bottom) / figure.inner_height)
      const across = (scale * figure.inner_width - (right - left)) / 2
      const up = (scale * figure.inner_height - (top - bottom)) / 2
      left -= across; right += across; bottom -= up; top += up
    }
    figure.x_range.setv({start: left, end: right})
    figure.y_range.setv({start: bottom, end: top})
  }

  function point(figure, x, y) {
    const {source, kinds, facts} = shown.page
    const [left, bottom] = [source.data.x[0], source.data.y[0]]
    const [width, height] = [source.data.dw[0], source.data.dh[0]]
    const column = Math.floor((x - left) / width * facts.across.length)
    const row = Math.floor((y - bottom) / height * facts.up.length)
    if (figure !== shown.page.figure || !(column in facts.across) || !(row in facts.up)) return leave()
    const at = row * facts.across.length + column
    const kind = kinds.data.kinds.length ? kinds.data.kinds[0][at] : 0
    const value = source.data.image[0][at]
    const said = Number.isFinite(value) || !shown.names[kind] ? `${Number(value.toPrecision(7))} ${facts.units}` : shown.names[kind]
    const place = ([name, units], number) => `${name} = ${number}${units && units !== "index" ? ` ${units}` : ""}`
    element("cursor").textContent = `${place(facts.axes[0], facts.across[column])}, ${place(facts.axes[1], facts.up[row])}: ${said}`
  }

  function leave() { element("cursor").textContent = "\u00a0" }
  return {start, point, leave, fit}
})()
