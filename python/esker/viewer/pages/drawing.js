// A window of vtk.js: camera, outline and labels of a box, one volume, one surface. It knows nothing of fields.
"use strict"
const drawing = (() => {
  const UPDATES_PER_S = 15
  const START = {direction: [-0.45, 0.78, -0.43], up: [0, 0, 1]}
  const ALONG = {x: [[-1, 0, 0], [0, 0, 1]], y: [[0, 1, 0], [0, 0, 1]], z: [[0, 0, -1], [0, 1, 0]]}
  const MOVED_TRIANGLES = 15000
  const EDGE = 0.07  // between the box and its texts
  const WIDER = 1.003  // so that the lines of the box are outside of the volume
  
  // The largest 3-D texture, 0 without WebGL 2; and whether the processor draws.
  function graphics() {
    const context = document.createElement("canvas").getContext("webgl2")
    if (!context) return {largest: 0, isSoftware: false}
    const names = context.getExtension("WEBGL_debug_renderer_info")
    const name = names ? context.getParameter(names.UNMASKED_RENDERER_WEBGL) : ""
    const largest = context.getParameter(context.MAX_3D_TEXTURE_SIZE)
    context.getExtension("WEBGL_lose_context")?.loseContext()
    return {largest, isSoftware: /swiftshader|llvmpipe|software/i.test(name)}
  }

  function open(container, labels, isSoftware, onMoved, onLost) {
    const {Core, Misc} = vtk.Rendering
    const window3d = Misc.vtkGenericRenderWindow.newInstance({background: [1, 1, 1]})
    window3d.setContainer(container)
    const renderer = window3d.getRenderer(), windows = window3d.getRenderWindow()
    const camera = renderer.getActiveCamera(), interactor = window3d.getInteractor()
    interactor.setDesiredUpdateRate(UPDATES_PER_S)
    const canvas = container.querySelector("canvas")
    canvas.addEventListener("webglcontextlost", (event) => { event.preventDefault(); onLost() })
    let bounds = [0, 1, 0, 1, 0, 1], texts = [], outline = null, volume = null, surface = null, waiting = false, isNew = false

    function resize() {
      window3d.resize()
      placeLabels()
    }
    new ResizeObserver(() => requestAnimationFrame(resize)).observe(container)

    function darken(dark) {
      renderer.setBackground(...(dark ? [0.086, 0.098, 0.11] : [1, 1, 1]))
      outline?.getProperty().setColor(...(dark ? [0.7, 0.72, 0.74] : [0.35, 0.38, 0.4]))
    }

    camera.onModified(() => {
      if (waiting) return
      waiting = true
      requestAnimationFrame(() => { waiting = false; placeLabels(); onMoved() })
    })

    // Where a place is drawn, in pixels of the container.
    function onScreen(place) {
      const {clientWidth: width, clientHeight: height} = container
      const [x, y] = renderer.worldToNormalizedDisplay(...place, width / height)
      return [x * width, (1 - y) * height]
    }

    function placeLabels() {
      const eye = camera.getPosition()
      for (const {node, place, outside} of texts) {
        const [x, y] = onScreen(place)
        node.hidden = outside && place[0] * eye[0] + place[1] * eye[1] + place[2] * eye[2] < 1
        node.style.left = `${x}px`
        node.style.top = `${y}px`
      }
    }

    // A box from 0 to `sizes`, with the name and the ends of each axis.
    function frame(sizes, named) {
      const cube = vtk.Filters.Sources.vtkCubeSource.newInstance({xLength: sizes[0] * WIDER, yLength: sizes[1] * WIDER,
        zLength: sizes[2] * WIDER, center: sizes.map((size) => size / 2)})
      const lines = vtk.Filters.General.vtkOutlineFilter.newInstance()
      lines.setInputConnection(cube.getOutputPort())
      setOutline(lines)
      outline.getProperty().setLighting(false)
      bounds = sizes.flatMap((size) => [0, size])
      const [x, y, z] = sizes, out = EDGE
      const edges = [(t) => [t * x, -out, -out / 2], (t) => [x + out, t * y, -out / 2], (t) => [-out, -out, t * z]]
      label(named.flatMap((axis, k) => [["low", 0.02], ["name", 0.5], ["high", 0.98]].map(([part, t]) => (
        {part, text: axis[part], place: edges[k](t)}))))
    }

    // A gray ball inside the sphere of the cells, with the names of places around it.
    function ball() {
      setOutline(vtk.Filters.Sources.vtkSphereSource.newInstance({radius: 0.985, thetaResolution: 96, phiResolution: 48}))
      bounds = [-1, 1, -1, 1, -1, 1]
      const around = [["0°", 1, 0, 0], ["90° E", 0, 1, 0], ["180°", -1, 0, 0], ["90° W", 0, -1, 0], ["N", 0, 0, 1], ["S", 0, 0, -1]]
      label(around.map(([text, ...place]) => ({part: "name", text, place: place.map((one) => 1.1 * one), outside: true})))
    }

    function setOutline(source) {
      if (outline) renderer.removeActor(outline)
      const mapper = Core.vtkMapper.newInstance()
      mapper.setInputConnection(source.getOutputPort())
      outline = Core.vtkActor.newInstance({pickable: false})
      outline.setMapper(mapper)
      renderer.addActor(outline)
    }

    function label(named) {
      texts = named.map(({part, text, place, outside}) => {
        const node = document.createElement("span")
        node.className = part
        node.textContent = text
        return {node, place, outside: outside === true}
      })
      labels.replaceChildren(...texts.map(({node}) => node))
    }

    // Looks along a direction at the middle.
    function look(direction, up) {
      const isBall = bounds[0] < 0
      const middle = [0, 1, 2].map((k) => (bounds[2 * k] + bounds[2 * k + 1]) / 2)
      camera.setFocalPoint(...middle)
      camera.setPosition(...middle.map((place, k) => place - direction[k]))
      camera.setViewUp(...up)
      renderer.resetCamera(bounds.map((end, k) => end + (k % 2 ? EDGE : -EDGE)))
      if (isBall) camera.dolly(1.6)
      render()
    }

    const cameraNumbers = () => [...camera.getPosition(), ...camera.getFocalPoint(), ...camera.getViewUp()]

    function setCamera(numbers) {
      camera.setPosition(...numbers.slice(0, 3))
      camera.setFocalPoint(...numbers.slice(3, 6))
      camera.setViewUp(...numbers.slice(6))
      renderer.resetCameraClippingRange()
    }

    function render() {
      renderer.resetCameraClippingRange()
      if (isNew) withSameNumbers(() => windows.render())
      else windows.render()
      isNew = false
    }

    function turn(across, up) {
      camera.azimuth(across)
      camera.elevation(up)
      camera.orthogonalizeViewUp()
      render()
    }

    function zoom(by) {
      camera.dolly(by)
      render()
    }

    function imageOf(values, {shape, origin, spacing}) {
      const image = vtk.Common.DataModel.vtkImageData.newInstance({origin, spacing})
      image.setDimensions(...shape)
      image.getPointData().setScalars(vtk.Common.Core.vtkDataArray.newInstance(
        {name: "values", numberOfComponents: 1, values}))
      return image
    }

    // Shows bytes as a volume, instead of what was shown.
    function showVolume(bytes, header, looks) {
      clear()
      const mapper = Core.vtkVolumeMapper.newInstance()
      mapper.setInputData(imageOf(bytes, header))
      const isCoarse = isSoftware && looks.blend === "composite"  // projections must not miss a sample
      mapper.setSampleDistance(Math.min(...header.spacing) * (isCoarse ? 2 : 1))
      mapper.setMaximumSamplesPerRay(4096)
      mapper.setInitialInteractionScale(16)
      mapper.setInteractionSampleDistanceFactor(2)
      volume = Core.vtkVolume.newInstance()
      volume.setMapper(mapper)
      volume.getProperty().setInterpolationTypeToLinear()
      isNew = true
      style(looks)
      renderer.addVolume(volume)
    }

    // Colors: [byte, red, green, blue] ...; opacities: [byte, opacity] ...
    function style({blend, colors, opacities, opaqueLength}) {
      const mapper = volume.getMapper(), property = volume.getProperty()
      if (blend === "maximum") mapper.setBlendModeToMaximumIntensity()
      else if (blend === "minimum") mapper.setBlendModeToMinimumIntensity()
      else mapper.setBlendModeToComposite()
      const color = Core.vtkColorTransferFunction.newInstance()
      for (const node of colors) color.addRGBPoint(...node)
      const opacity = vtk.Common.DataModel.vtkPiecewiseFunction.newInstance()
      for (const node of opacities) opacity.addPoint(...node)
      property.setRGBTransferFunction(0, color)
      property.setScalarOpacity(0, opacity)
      property.setScalarOpacityUnitDistance(0, opaqueLength)
    }

    // Shows where the codes pass a value. A surface of many triangles is a coarser one while it moves.
    function showSurface(codes, header, value, color) {
      clear()
      const fine = surfaceOf(codes, header, value, color), count = fine.getMapper().getInputData().getNumberOfPolys()
      const stride = Math.ceil(Math.sqrt(count / MOVED_TRIANGLES))
      const isLarge = stride > 1 && Math.min(...header.shape) > 2 * stride
      surface = [fine, isLarge ? surfaceOf(...everyNth(codes, header, stride), value, color) : fine]
      renderer.addActor(fine)
      return count
    }

    // Triangles next to samples without a value (code 0) are left out.
    function surfaceOf(codes, header, contourValue, color) {
      const cubes = vtk.Filters.General.vtkImageMarchingCubes.newInstance(
        {contourValue, computeNormals: true, mergePoints: true})
      cubes.setInputData(imageOf(codes, header))
      cubes.update()
      const found = cubes.getOutputData()
      if (header.without > 0) found.getPolys().setData(withoutHoles(found, codes, header))
      const mapper = Core.vtkMapper.newInstance({scalarVisibility: false})
      mapper.setInputData(found)
      const actor = Core.vtkActor.newInstance()
      actor.setMapper(mapper)
      actor.getProperty().setColor(...color)
      actor.getProperty().set({ambient: 0.35, diffuse: 0.65, specular: 0.25, specularPower: 20})
      return actor
    }

    // Shows the coarse or the fine surface.
    function swap(isMoving) {
      if (!surface || surface[0] === surface[1]) return
      renderer.removeActor(surface[isMoving ? 0 : 1])
      renderer.addActor(surface[isMoving ? 1 : 0])
    }
    interactor.onStartAnimation(() => swap(true))
    interactor.onEndAnimation(() => { swap(false); render() })

    // Cells of a sphere in colors of their own: triangles, or points of a size in pixels.
    function showCells({places, triangles}, rgb, pixels) {
      clear()
      const data = vtk.Common.DataModel.vtkPolyData.newInstance()
      data.getPoints().setData(places, 3)
      data.getPointData().setScalars(vtk.Common.Core.vtkDataArray.newInstance(
        {name: "colors", numberOfComponents: 3, values: rgb}))
      if (pixels) data.getVerts().setData(triangles)
      else data.getPolys().setData(triangles)
      const mapper = Core.vtkMapper.newInstance()
      mapper.setInputData(data)
      mapper.setColorModeToDirectScalars()
      const actor = Core.vtkActor.newInstance()
      actor.setMapper(mapper)
      actor.getProperty().setLighting(false)
      if (pixels) actor.getProperty().setPointSize(pixels)
      surface = [actor, actor]
      renderer.addActor(actor)
    }

    function clear() {
      if (volume) { renderer.removeVolume(volume); volume.delete(); volume = null }
      for (const actor of new Set(surface)) { renderer.removeActor(actor); actor.delete() }
      surface = null
    }

    const start = () => look(START.direction, START.up)
    const along = (axis) => look(...ALONG[axis])
    return {frame, ball, start, along, cameraNumbers, setCamera, render, turn, zoom, showVolume, style, showSurface, showCells, clear,
      darken, resize, onScreen, camera, interactor, hasVolume: () => volume !== null}
  }

  // vtk.js begins each ray of a volume at a random share of a step, which it chooses when it draws the volume first. With the
  // same shares each time, a link shows the same picture.
  function withSameNumbers(draw) {
    const random = Math.random
    let state = 1
    Math.random = () => (state = state * 48271 % 2147483647) / 2147483647
    try { draw() } finally { Math.random = random }
  }

  // The samples at a stride along each axis.
  function everyNth(codes, {shape, origin, spacing, without}, stride) {
    const small = shape.map((count) => Math.floor((count - 1) / stride) + 1)
    const found = new Uint16Array(small[0] * small[1] * small[2])
    let n = 0
    for (let k = 0; k < small[2]; k++)
      for (let j = 0; j < small[1]; j++)
        for (let i = 0; i < small[0]; i++) found[n++] = codes[stride * (i + shape[0] * (j + shape[1] * k))]
    return [found, {shape: small, origin, spacing: spacing.map((one) => stride * one), without}]
  }

  // The triangles all of whose points lie between two samples that have values.
  function withoutHoles(surface, codes, {shape, origin, spacing}) {
    const points = surface.getPoints().getData(), polys = surface.getPolys().getData()
    const at = (i, j, k) => codes[i + shape[0] * (j + shape[1] * k)]
    const isWhole = (point) => {
      const ends = [0, 1, 2].map((k) => {
        const index = (points[3 * point + k] - origin[k]) / spacing[k]
        return [Math.floor(index + 1e-3), Math.ceil(index - 1e-3)]
      })
      return at(...ends.map((end) => end[0])) > 0 && at(...ends.map((end) => end[1])) > 0
    }
    const whole = new Uint8Array(points.length / 3).map((_, point) => isWhole(point) ? 1 : 0)
    const kept = []
    for (let i = 0; i < polys.length; i += 4)
      if (whole[polys[i + 1]] && whole[polys[i + 2]] && whole[polys[i + 3]])
        kept.push(3, polys[i + 1], polys[i + 2], polys[i + 3])
    return Uint32Array.from(kept)
  }

  return {graphics, open}
})()
