// What the 3-D pages have in common: texts, controls, keys, the link, and the answers of the server. Texts are set as text.
"use strict"
const esker = (() => {
  const el = (id) => document.getElementById(id)

  function say(id, text) {
    if (el(id).textContent !== text) el(id).textContent = text
  }

  function sizeText(bytes) {
    let size = bytes
    for (const unit of ["B", "kB", "MB", "GB"]) {
      if (size < 1000 || unit === "GB") return unit === "B" ? `${size} B` : `${size.toFixed(1)} ${unit}`
      size /= 1000
    }
  }

  const number = (value) => Number.isFinite(value) ? String(Number(value.toPrecision(6))) : ""

  function choose(id, choices, value) {
    const select = el(id), shown = JSON.stringify(choices)
    if (select.dataset.choices !== shown) {
      select.dataset.choices = shown
      select.replaceChildren(...choices.map(([one, text]) => new Option(text, one)))
    }
    select.value = value
    select.closest("label").hidden = choices.length < 2
  }

  function showKeys(keys) {
    el("keys").replaceChildren(...keys.map(([key, meaning]) => {
      const row = document.createElement("tr"), name = document.createElement("th"), said = document.createElement("td")
      name.scope = "row"
      name.textContent = key
      said.textContent = meaning
      row.append(name, said)
      return row
    }))
  }

  async function answerOf(address, signal) {
    const answer = await fetch(address, {cache: "no-store", signal})
    if (answer.ok) return answer
    throw new Error(answer.status === 403 ? "The server was started again: open its new link." :
      `The server answered with ${answer.status}.`)
  }

  // A header of JSON, and the buffer with the place where the numbers after it begin.
  async function packed(address, signal) {
    const buffer = await (await answerOf(address, signal)).arrayBuffer()
    const length = new DataView(buffer).getUint32(0, true)
    const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)))
    if (header.failed) throw new Error(header.failed)
    return {header, buffer, start: 4 + length}
  }

  async function samples(address, signal) {
    const {header, buffer, start} = await packed(address, signal)
    return {header, codes: new Uint16Array(buffer, start)}
  }

  const description = async (address, signal) => (await answerOf(address, signal)).json()

  function showBar(colors, low, high, label) {
    el("bar").style.setProperty("--colors", colors.length ? colors.join(",") : "transparent, transparent")
    say("bar-low", number(low))
    say("bar-high", number(high))
    say("bar-label", label)
  }

  const rgb = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16) / 255)

  // Until what was drawn is on the screen; pages in the background have no frames, and do not wait for them.
  const onScreen = () => new Promise((done) => {
    requestAnimationFrame(() => requestAnimationFrame(done))
    setTimeout(done, 500)
  })

  // The sentence that is shown instead of a picture; "" for a picture.
  function instead(text) {
    say("why", text)
    el("why").hidden = text === ""
  }

  return {el, say, sizeText, number, choose, showKeys, packed, samples, description, showBar, rgb, onScreen, instead}
})()
