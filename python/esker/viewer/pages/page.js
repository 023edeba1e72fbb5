// Connects the models of Bokeh with the texts, the keyboard and the link of the page. Texts are set as text, never as HTML.
window.esker = (() => {
  const TEXTS = ["title", "status", "where", "colors", "kinds", "notes", "cursor", "answer", "alternative"]
  const POINTER_MS = 60
  const element = (id) => document.getElementById(id)

  function showTexts(link) {
    for (const name of TEXTS) {
      const show = () => { element(name).textContent = link[name] }
      link.properties[name].change.connect(show)
      show()
    }
    const name = () => { document.title = `${link.title || "Esker"} - Esker` }
    link.properties.title.change.connect(name)
    name()
  }

  function keepLink(link) {
    const keep = () => {
      history.replaceState(null, "", link.query || location.pathname)
      element("volume").hidden = !new URLSearchParams(link.query).has("normal")
      element("volume").href = `volume${link.query}`
      if (element("globe")) element("globe").href = `globe${link.query}`
    }
    link.properties.query.change.connect(keep)
    keep()
  }

  function offerExports(link) {
    const offer = () => {
      element("exports").hidden = link.data === ""
      for (const anchor of element("exports").querySelectorAll("a"))
        anchor.href = link.data ? `${link.data}&format=${anchor.id.slice("export-".length)}` : "#"
    }
    link.properties.data.change.connect(offer)
  }

  // The page has the values of the charts; the browser makes files of them.
  function offerLines(link) {
    const offer = () => {
      const place = element("lines")
      for (const anchor of place.querySelectorAll("a")) URL.revokeObjectURL(anchor.href)
      place.replaceChildren(...link.lines.flatMap(([said, name, text]) => {
        const anchor = document.createElement("a")
        anchor.textContent = `${said} .csv`
        anchor.download = name
        anchor.href = URL.createObjectURL(new Blob([text], {type: "text/csv"}))
        return [" \u00b7 ", anchor]
      }))
      place.hidden = link.lines.length === 0
    }
    link.properties.lines.change.connect(offer)
  }

  // The buttons are the keys , and . for the mouse.
  function offerExtremes(link, press) {
    const offer = () => { element("extremes").hidden = !link.extremes }
    link.properties.extremes.change.connect(offer)
    for (const [id, key] of [["least", ","], ["greatest", "."]]) element(id).onclick = () => press(key)
  }

  function arrange(link) {
    const arranged = () => {
      document.body.classList.toggle("several", link.views > 1)
      document.body.style.setProperty("--views", link.views)
    }
    link.properties.views.change.connect(arranged)
    arranged()
  }

  // Tells the server when a complete picture is on the screen.
  function acknowledge(link) {
    link.properties.ticket.change.connect(() => {
      const ticket = link.ticket
      requestAnimationFrame(() => requestAnimationFrame(() => { link.drawn = ticket }))
    })
  }

  function listenToKeys(link) {
    let count = 0
    const press = (key) => { link.key = `${++count} ${key}` }
    eskerKeys.listen(({key}) => {
      if (key.length > 1 && !key.startsWith("Arrow") && !["Enter", "Escape"].includes(key)) return false
      press(key)
      return key !== "Escape"  // it closes lists, too
    }, false)
    element("table").addEventListener("close", () => { if (link.table) press("t") })
    offerExtremes(link, press)
  }

  let place = [], waiting = false
  function point(link, view, x, y) {
    place = x === undefined ? [] : [view, x, y]
    if (waiting) return
    waiting = true
    setTimeout(() => { waiting = false; link.pointer = place }, POINTER_MS)
  }

  // A straight line while the tool for lines is dragged; its source is shown on the figure.
  let begin = null
  function draw(link, figure, tool, source, event) {
    if (!tool.active) return
    if (event.event_name === "panstart") begin = [event.x, event.y]
    if (begin === null) return
    source.data = {x: [begin[0], event.x], y: [begin[1], event.y]}
    if (event.event_name === "panend") {
      link.line = [figure.tags[0], ...begin, event.x, event.y]
      begin = null
    }
  }

  // Bokeh connects a figure with the ranges that it has at first; views that are linked later take those of another view.
  function paint(pictures, range) {
    for (const view of Bokeh.index.get(pictures)?.child_views ?? [])
      if (view.model.x_range === range || view.model.y_range === range) view.request_repaint()
  }

  // The elements that have the focus, from the outside to the inside: each shadow root has its own.
  function focused() {
    const path = []
    for (let at = document.activeElement; at; at = at.shadowRoot?.activeElement) path.push(at)
    return path
  }

  // Bokeh writes the title of a slider next to its handle, but does not name the handle. It draws both again when it likes.
  function nameSliders(link) {
    const inside = (root) => [...root.querySelectorAll("*")].flatMap((one) => [one, ...(one.shadowRoot ? inside(one.shadowRoot) : [])])
    const name = () => {
      for (const handle of inside(document).filter((one) => one.matches(".noUi-handle"))) {
        const title = handle.getRootNode().querySelector(".bk-slider-title")?.textContent ?? ""
        handle.setAttribute("aria-label", title.replace(/:[^:]*$/, ""))
      }
    }
    for (const property of [link.properties.ticket, link.properties.views]) property.change.connect(() => setTimeout(name))
    setTimeout(name)
  }

  // A view is selected by a click and by the focus.
  function selectViews(link, pictures) {
    let count = 0
    const select = (path) => {
      const found = (Bokeh.index.get(pictures)?.child_views ?? []).find((view) => path.includes(view.el))
      if (found) link.view = `${++count} ${found.model.tags[0]}`
    }
    element("picture").addEventListener("pointerdown", (event) => select(event.composedPath()))
    addEventListener("keyup", (event) => { if (event.key === "Tab") select(focused()) })
  }

  function showTable(link) {
    const show = () => {
      const body = element("table-body")
      body.replaceChildren()
      for (const [number, line] of link.table.split("\n").entries()) {
        const row = body.insertRow()
        for (const [column, text] of line.split("\t").entries()) {
          const cell = document.createElement(number === 0 || column === 0 ? "th" : "td")
          cell.textContent = text
          row.append(cell)
        }
      }
      if (link.table && !element("table").open) element("table").showModal()
      if (!link.table && element("table").open) element("table").close()
    }
    link.properties.table.change.connect(show)
  }

  function tellScreen(link) {
    const dark = matchMedia("(prefers-color-scheme: dark)")
    const calm = matchMedia("(prefers-reduced-motion: reduce)")
    const narrow = matchMedia("(max-width: 640px)")
    const tell = () => {
      link.setv({ratio: devicePixelRatio, dark: dark.matches, calm: calm.matches, narrow: narrow.matches})
    }
    for (const query of [dark, calm, narrow]) query.addEventListener("change", tell)
    addEventListener("resize", tell)
    tell()
  }

  // After a closed laptop the connection is lost: load the page again when the server answers; the link has the view.
  async function reconnect() {
    const banner = element("lost")
    banner.hidden = false
    try {
      const answer = await fetch("metadata", {cache: "no-store"})
      if (answer.ok) return location.reload()
      if (answer.status === 403) { banner.textContent = "The server was started again: open its new link."; return }
    } catch (_) { /* it does not answer yet */ }
    setTimeout(reconnect, 2000)
  }

  function start(link, pictures) {
    window.esker.link = link
    showTexts(link)
    keepLink(link)
    offerExports(link)
    offerLines(link)
    arrange(link)
    acknowledge(link)
    listenToKeys(link)
    showTable(link)
    selectViews(link, pictures)
    nameSliders(link)
    tellScreen(link)
    document.body.dataset.ready = "1"
  }
  return {start, point, draw, paint, reconnect}
})()
