// What all pages with keys have in common: which keys controls use themselves, and the list of keys.
"use strict"
const eskerKeys = (() => {
  const TYPED = "input:not([type=checkbox]), select, textarea, [role=slider], .noUi-handle"
  const PRESSED = "button, [role=button], input, a, summary"

  function isControl(target, key) {
    if (!(target instanceof Element)) return false
    return target.matches(TYPED) || (target.matches(PRESSED) && (key === " " || key === "Enter"))
  }

  // Calls press(event) for keys without Ctrl, Alt and the like that no control uses; it is true if the key had a meaning.
  function listen(press, isCapturing) {
    const list = document.getElementById("help")
    addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (list.open && event.key !== "Escape") return
      if (isControl(event.composedPath()[0], event.key)) return
      if (event.key === "?") list.showModal()
      else if (!press(event)) return
      event.preventDefault()
      if (isCapturing) event.stopPropagation()
    }, isCapturing)
    document.getElementById("help-button").onclick = () => list.showModal()
    document.getElementById("help-close").onclick = () => list.close()
  }

  return {listen}
})()
