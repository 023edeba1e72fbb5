// The pages of volumes and globes. The parameters of its link are its state; the server says what they mean, and sends the samples.
"use strict"
const volumePage = (() => {
  const {el, say, number} = esker
  const CODES = 65535, STEPS = 1000
  const EMPTY_BYTES = 5  // between the byte of samples without a value and the others, so that none has a share of both
  const VALUE_BYTES = 255 - EMPTY_BYTES
  const KIND = location.pathname.endsWith("/globe") ? "globe" : "volume"
  const SELECTS = ["dataset", "field", "component", "layer", "mode", "ramp", "level", "palette", "range"]
  const OF_FIELD = ["component", "layer", "level", "box", "value", "low", "high", "range"]
  const state = {params: new URLSearchParams(location.search), scene: null, shown: null, ticket: 0, bytes: 0,
    playing: false, texture: 0, window: null, reads: null, error: "", isUnanswered: false, change: ""}
  state.params.delete("token")

  const isLog = () => state.shown.header.log
  const coordinate = (value) => isLog() ? Math.log10(value) : value
  const plain = (at) => isLog() ? 10 ** at : at

  // The ends of the colors: given by hand, or of this volume; logarithms with logarithmic colors.
  const ends = () => state.scene.values.ends ?? state.shown.header.ends

  // Samples without a value have the byte at the end of the colors that is transparent.
  const isEmptyHigh = () => {
    const {mode, ramp} = state.scene.values
    return mode === "minimum" || (mode === "composite" && ramp === "falling")
  }

  function bytes() {
    const {header, codes} = state.shown, [low, high] = ends(), base = isEmptyHigh() ? 0 : EMPTY_BYTES
    const scale = VALUE_BYTES / (high - low), table = new Uint8Array(CODES + 1)
    for (let code = 1; code <= CODES; code++) {
      const at = header.low + (code - 1) / (CODES - 1) * (header.high - header.low)
      table[code] = base + Math.min(Math.max(Math.round((at - low) * scale), 0), VALUE_BYTES)
    }
    table[0] = isEmptyHigh() ? 255 : 0
    const found = new Uint8Array(codes.length)
    for (let i = 0; i < codes.length; i++) found[i] = table[codes[i]]
    return found
  }

  function looks() {
    const {mode, ramp} = state.scene.values, base = isEmptyHigh() ? 0 : EMPTY_BYTES
    const share = mode === "composite" ? opacity() : 1, isFlat = mode !== "composite" || ramp === "even"
    const rgb = state.scene.colors.map(esker.rgb)
    const colors = rgb.map((color, i) => [base + i * VALUE_BYTES / (rgb.length - 1), ...color])
    const opacities = isEmptyHigh()
      ? [[0, share], ...(isFlat ? [[VALUE_BYTES + 2, share], [VALUE_BYTES + 3, 0]] : [[VALUE_BYTES, 0]]), [255, 0]]
      : [[0, 0], ...(isFlat ? [[EMPTY_BYTES - 3, 0], [EMPTY_BYTES - 2, share]] : [[EMPTY_BYTES, 0]]), [255, share]]
    return {blend: mode, colors, opacities, opaqueLength: 1 / 40}
  }

  const opacity = () => Number(el("c-opacity").value)

  // The place of the isosurface in the range of the colors, 0 to 1.
  function surfaceShare() {
    const value = state.scene.values.value
    if (value === null) return 0.5
    const [low, high] = ends(), share = (coordinate(value) - low) / (high - low)
    return Number.isFinite(share) ? Math.min(Math.max(share, 0), 1) : 0
  }

  function drawSurface() {
    const {header, codes} = state.shown, [low, high] = ends(), share = Number(el("c-value").value) / STEPS
    const at = low + share * (high - low), span = header.high - header.low
    const code = span > 0 ? 1 + (at - header.low) / span * (CODES - 1) : 0
    const color = esker.rgb(state.scene.colors[Math.round(share * (state.scene.colors.length - 1))])
    say("value-text", number(plain(at)))
    const count = state.window.showSurface(codes, header, code, color)
    state.surface = count ? "" : `This volume has no values on both sides of ${number(plain(at))}.`
  }

  function drawGlobe() {
    const {shown, scene} = state, height = el("view").clientHeight
    globe.show(state.window, shown.mesh, shown.codes, bytes(), {low: EMPTY_BYTES, count: VALUE_BYTES}, scene.colors, height)
  }

  function draw() {
    if (!state.shown) return
    state.surface = ""
    if (!state.shown.header.finite) state.window.clear()
    else if (KIND === "globe") drawGlobe()
    else if (state.scene.values.mode === "surface") drawSurface()
    else state.window.showVolume(bytes(), state.shown.header, looks())
    state.window.render()
    showTexts()
  }

  function showTexts() {
    const {scene, shown} = state
    if (!shown) { say("status", `level ${scene.reads[0]} of ${scene.max_level} · reading …`); showNotes([]); return }
    const {header} = shown, [low, high] = ends(), last = scene.reads[scene.reads.length - 1]
    const done = header.level === last ? "complete" : state.error ? `level ${last} could not be read` : `refining to level ${last}`
    say("status", [`level ${header.level} of ${scene.max_level}`, header.shape.join(" × ") + (KIND === "globe" ? " cells" : " samples"), done,
      `${esker.sizeText(state.bytes)} read`, scene.step].join(" · "))
    const source = scene.values.range === "hand" ? "given by hand" : "range of this picture"
    say("colors", `colors from ${number(plain(low))} to ${number(plain(high))}: ${source}`)
    say("kinds", [header.kinds, state.isSoftware ? "drawn by the processor, which is slow" : ""].filter(Boolean).join(" · "))
    showNotes([...header.notes, state.surface])
    say("alternative", header.alternative)
    esker.showBar(scene.colors, plain(low), plain(high), scene.label)
    document.body.dataset.drawn = `${header.level}`
  }

  // What is wrong, and what the picture cannot show.
  function showNotes(more) {
    say("notes", [state.error, state.change, ...(state.scene?.notes ?? []), ...more].filter(Boolean).join("\n"))
    el("again").hidden = !state.error
  }

  function showControls() {
    const {values, choices} = state.scene
    for (const name of SELECTS) esker.choose(`c-${name}`, choices[name], values[name])
    const steps = choices.steps
    el("c-step").closest("label").hidden = el("play").hidden = steps.length < 2
    Object.assign(el("c-step"), {min: 0, max: Math.max(steps.length - 1, 1), value: steps.indexOf(values.step)})
    el("follow").hidden = steps.length === 0
    el("c-follow").checked = values.follow
    el("c-log").checked = values.log
    el("c-reverse").checked = values.reverse
    el("c-opacity").value = values.opacity
    say("opacity-text", number(values.opacity))
    for (const [id, mode] of [["c-value", "surface"], ["c-opacity", "composite"], ["c-ramp", "composite"]])
      el(id).closest("label").hidden = values.mode !== mode
    el("box").hidden = KIND === "globe"
    el("hand").hidden = values.range !== "hand"
    el("c-low").value = number(values.low)
    el("c-high").value = number(values.high)
    if (KIND === "volume") showBox()
  }

  function showBox() {
    const {values, choices} = state.scene
    if (el("box").querySelectorAll("div").length === 0)
      for (let k = 0; k < 3; k++) el("box").append(boxRow())
    el("box").querySelectorAll("div").forEach((row, k) => {
      const [least, most] = choices.bounds[k], [name, first, last] = row.children
      name.textContent = choices.axes[k]
      Object.assign(first, {min: least, max: most - 1, value: values.box[2 * k], ariaLabel: `first ${choices.axes[k]}`})
      Object.assign(last, {min: least, max: most - 1, value: values.box[2 * k + 1] - 1, ariaLabel: `last ${choices.axes[k]}`})
    })
  }

  function boxRow() {
    const row = document.createElement("div")
    row.append(document.createElement("span"), ...[0, 1].map(() => {
      const input = document.createElement("input")
      input.type = "number"
      input.addEventListener("change", boxChanged)
      return input
    }))
    return row
  }

  function boxChanged() {
    const rows = [...el("box").querySelectorAll("div")]
    const box = rows.flatMap((row) => [Number(row.children[1].value), Number(row.children[2].value) + 1])
    if (rows.every((_, k) => box[2 * k] < box[2 * k + 1])) change({box: box.join(",")})
  }

  function keepLink() {
    const query = new URLSearchParams(state.scene.query)
    if (state.camera) query.set("camera", state.camera)
    state.params = query
    history.replaceState(null, "", `?${query}`)
    el("planes").href = state.scene.planes
  }

  // Other values of the parameters of the link; null: the default.
  function change(changes) {
    for (const [name, value] of Object.entries(changes)) {
      if (value === null || value === "") state.params.delete(name)
      else state.params.set(name, value)
    }
    return load()
  }

  async function load() {
    const ticket = ++state.ticket
    state.reads?.abort()
    const reads = state.reads = new AbortController()
    state.error = ""
    state.isUnanswered = false
    try {
      const query = new URLSearchParams(state.params)
      query.delete("camera")
      query.set("texture", state.texture)
      const scene = await esker.description(`${KIND}-scene?${query}`, reads.signal)
      if (ticket !== state.ticket) return
      if (!show(scene)) return
      if (state.shown?.samples === scene.samples && state.shown.header.level === scene.reads[scene.reads.length - 1])
        return draw()
      await read(scene, ticket, reads.signal)
    } catch (error) {
      if (ticket === state.ticket && error.name !== "AbortError") fail(error)
    }
  }

  // The scene without samples; false if there is nothing to read.
  function show(scene) {
    esker.showKeys(scene.keys)
    say("title", scene.title ?? "")
    document.title = `${scene.title || "Esker"} - Esker`
    const why = scene.why || (state.texture === 0 ? "This browser has no WebGL 2, which volumes need; planes do not need it." : "")
    esker.instead(why)
    say("notes", [state.change, ...scene.notes].filter(Boolean).join("\n"))
    el("again").hidden = true
    if (scene.planes) el("planes").href = scene.planes
    if (why) { state.window?.clear(); say("status", ""); document.body.dataset.drawn = "nothing"; return false }
    const moved = JSON.stringify(scene.frame) !== JSON.stringify(state.scene?.frame)
    state.scene = scene
    showControls()
    say("where", scene.where)
    keepLink()
    if (moved) frame()
    return true
  }

  function frame() {
    const {sizes, labels} = state.scene.frame, isNew = state.window === null
    const dark = matchMedia("(prefers-color-scheme: dark)")
    if (isNew) {
      state.window = drawing.open(el("view"), el("labels"), state.isSoftware, moved,
        () => fail(new Error("The graphics were lost; load the page again.")))
      dark.addEventListener("change", () => { state.window.darken(dark.matches); state.window.render() })
      state.window.resize()
    }
    state.window.clear()
    state.shown = null
    if (KIND === "globe") state.window.ball()
    else state.window.frame(sizes, labels)
    state.window.darken(dark.matches)
    const numbers = isNew ? (state.params.get("camera") ?? state.camera ?? "").split(",").map(Number) : []
    if (numbers.length === 9 && numbers.every(Number.isFinite)) state.window.setCamera(numbers)
    else state.window.start()
  }

  async function read(scene, ticket, signal) {
    if (state.shown?.samples !== scene.samples) showTexts()
    let next = fetched(scene, 0, signal)
    for (const number of scene.reads.keys()) {
      const {header, codes, mesh} = await next
      if (ticket !== state.ticket) return
      if (number + 1 < scene.reads.length) next = fetched(scene, number + 1, signal)
      next.catch(() => {})  // it is awaited later
      state.bytes += header.nbytes
      state.shown = {header, codes, mesh, samples: scene.samples}
      showSurfaceControl()
      draw()
      await esker.onScreen()
    }
    if (state.playing) setTimeout(() => { if (state.playing && ticket === state.ticket) step(1, true) }, 100)
  }

  // One read of the plan.
  async function fetched(scene, number, signal) {
    const query = new URLSearchParams(scene.query)
    query.set("texture", state.texture)
    query.set("read", number)
    const [found, mesh] = await Promise.all([esker.samples(`${KIND}-samples?${query}`, signal), places(query, signal)])
    return {...found, mesh}
  }

  // Where the cells of a globe are; the last ones are kept.
  const meshes = new Map()
  async function places(query, signal) {
    if (KIND !== "globe") return null
    const key = `${state.scene.mesh} ${state.scene.reads[Number(query.get("read"))]}`
    if (!meshes.has(key)) {
      const found = await globe.mesh(`globe-mesh?${query}`, signal)
      state.bytes += found.nbytes
      if (meshes.size > 3) meshes.clear()
      meshes.set(key, found)
    }
    return meshes.get(key)
  }

  function showSurfaceControl() {
    el("c-value").value = Math.round(surfaceShare() * STEPS)
  }

  // Says what went wrong. What is drawn of other samples would look like those that could not be read.
  function fail(error) {
    stop()
    state.isUnanswered = error instanceof TypeError
    state.error = state.isUnanswered ? "The server did not answer." : error.message
    if (state.shown && state.shown.samples === state.scene?.samples) return showTexts()
    state.shown = null
    state.window?.clear()
    state.window?.render()
    for (const name of ["status", "colors", "kinds", "alternative"]) say(name, "")
    esker.showBar([], NaN, NaN, "")
    document.body.dataset.drawn = "nothing"
    showNotes([])
  }

  // The server answered: reads again what it did not answer, and shows what it said.
  function answered(isBack) {
    if ((isBack || state.isUnanswered) && state.error) return load()
    return state.shown ? showTexts() : showNotes([])
  }

  // The files changed: reads again what is shown, or the new last step if the one before is followed.
  function renew() {
    const {values, choices} = state.scene ?? {}
    if (state.shown) state.shown.samples = ""
    const isLast = choices?.steps && values.step === choices.steps[choices.steps.length - 1]
    return values?.follow && isLast ? change({step: null}) : load()
  }

  let settling = 0
  function moved() {
    clearTimeout(settling)
    settling = setTimeout(() => {
      state.camera = state.window.cameraNumbers().map((one) => Number(one.toPrecision(5))).join(",")
      state.params.set("camera", state.camera)  // not keepLink(): the server may still have to answer to other changes
      history.replaceState(null, "", `?${state.params}`)
    }, 300)
  }

  function step(by, around) {
    const {steps} = state.scene.choices, at = steps.indexOf(Number(asked("step", state.scene.values.step))) + by
    const next = around ? (at + steps.length) % steps.length : Math.min(Math.max(at, 0), steps.length - 1)
    if (steps.length) change({step: steps[next]})
  }

  function play() {
    if (state.playing) return stop()
    state.playing = true
    say("play", "Stop")
    step(1, true)
  }

  function stop() {
    state.playing = false
    say("play", "Play")
  }

  // To follow begins with the last step.
  const follow = (follows) => change(follows ? {follow: 1, step: null} : {follow: null})

  // The value that the server was asked for last: its answer may still have to come.
  const asked = (name, shown) => state.params.get(name) ?? shown

  function after(name) {
    const values = [...el(`c-${name}`).options].map((option) => option.value)
    return values[(values.indexOf(asked(name, el(`c-${name}`).value)) + 1) % values.length]
  }

  function level(by) {
    const {values, max_level: most} = state.scene
    const shown = values.level === "" ? state.scene.reads[state.scene.reads.length - 1] : Number(values.level)
    change({level: Math.min(Math.max(shown + by, 0), most)})
  }

  function slide(by) {
    if (KIND === "globe") return
    const surface = state.scene.values.mode === "surface", slider = el(surface ? "c-value" : "c-opacity")
    slider.value = Number(slider.value) + by * (surface ? 20 : 0.05)
    slider.dispatchEvent(new Event("input"))
    slider.dispatchEvent(new Event("change"))
  }

  const KEYS = {
    ArrowLeft: () => step(-1), ArrowRight: () => step(1), " ": play, ArrowUp: () => slide(1), ArrowDown: () => slide(-1),
    a: () => state.window.turn(10, 0), d: () => state.window.turn(-10, 0), w: () => state.window.turn(0, -10),
    s: () => state.window.turn(0, 10), "+": () => state.window.zoom(1.25), "=": () => state.window.zoom(1.25),
    "-": () => state.window.zoom(0.8), 0: () => state.window.start(), x: () => state.window.along("x"),
    y: () => state.window.along("y"), z: () => state.window.along("z"), m: () => KIND === "volume" && change({mode: after("mode")}),
    f: () => chooseField(after("field")), c: () => change(KIND === "globe" ? {layer: after("layer")} : {component: after("component")}),
    h: () => follow(!state.scene.values.follow), l: () => change({log: state.scene.values.log ? null : 1}), p: () => change({palette: after("palette")}),
    r: () => change({reverse: state.scene.values.reverse ? null : 1}), "[": () => level(-1), "]": () => level(1),
    "\\": () => change({level: null}),
  }

  function press(event) {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
    if (!KEYS[key] || !state.scene || !state.window) return false
    KEYS[key]()
    return true
  }

  const forget = () => Object.fromEntries(OF_FIELD.map((name) => [name, null]))
  const chooseField = (field) => change({...forget(), field})

  function listen() {
    for (const name of ["component", "layer", "mode", "ramp", "level", "palette"])
      el(`c-${name}`).addEventListener("change", (event) => change({[name]: event.target.value}))
    el("c-field").addEventListener("change", (event) => chooseField(event.target.value))
    el("c-dataset").addEventListener("change", (event) => change({...forget(), field: null, step: null, dataset: event.target.value}))
    el("c-range").addEventListener("change", (event) => chooseRange(event.target.value))
    for (const name of ["log", "reverse"])
      el(`c-${name}`).addEventListener("change", (event) => change({[name]: event.target.checked ? 1 : null}))
    for (const name of ["low", "high"])
      el(`c-${name}`).addEventListener("change", () => change({low: el("c-low").value, high: el("c-high").value}))
    el("c-step").addEventListener("input", (event) => change({step: state.scene.choices.steps[event.target.value]}))
    el("play").onclick = play
    el("again").onclick = () => load()
    el("c-follow").addEventListener("change", (event) => follow(event.target.checked))
    el("c-value").addEventListener("input", sliding(() => { draw() }))
    el("c-value").addEventListener("change", () => {
      if (!state.shown) return
      const [low, high] = ends()
      change({value: Number(plain(low + el("c-value").value / STEPS * (high - low)).toPrecision(9))})
    })
    el("c-opacity").addEventListener("input", sliding(() => {
      say("opacity-text", number(opacity()))
      if (state.window.hasVolume()) { state.window.style(looks()); state.window.render() }
    }))
    el("c-opacity").addEventListener("change", () => change({opacity: opacity()}))
    eskerKeys.listen(press, true)  // vtk.js sees none of these keys
  }

  // Once for each picture on the screen.
  function sliding(action) {
    let pending = false
    return () => {
      if (pending || !state.shown) return
      pending = true
      requestAnimationFrame(() => { pending = false; action() })
    }
  }

  function chooseRange(range) {
    if (range !== "hand" || !state.shown) return change({range: null, low: null, high: null})
    const [low, high] = ends().map(plain)
    return change({range, low: Number(low.toPrecision(7)), high: Number(high.toPrecision(7))})
  }

  function start() {
    Object.assign(state, drawing.graphics())
    state.texture = state.largest
    state.camera = state.params.get("camera")
    listen()
    load()
    following.start(() => Number(state.scene?.values?.dataset ?? 0),
      {said: (note) => { state.change = note }, opened: renew, answered})
  }

  return {start, state}
})()
volumePage.start()
