// Asks again and again what the server found: datasets that changed, and whether it answers.
"use strict"
const following = (() => {
  const EVERY_MS = 2000
  const LOST = "The connection is lost; the page goes on when the server answers."

  // dataset(): the number of the one that is shown. Calls on.said(sentence), and then on.opened() if the dataset was opened
  // again, or on.answered(isBack).
  function start(dataset, on) {
    const lost = document.getElementById("lost")
    let known = []

    async function look() {
      try {
        const all = await esker.description("changes"), found = all[dataset()], before = known[dataset()], isBack = !lost.hidden
        known = all
        lost.hidden = true
        if (!before) on.said(found.note)
        else if (found.changes !== before.changes) on.said(found.said)
        if (before && found.opened !== before.opened) await on.opened()
        else await on.answered(isBack)
      } catch (error) {
        lost.textContent = error instanceof TypeError ? LOST : error.message
        lost.hidden = false
      }
      setTimeout(look, EVERY_MS)
    }
    look()
  }

  return {start}
})()
