// Cells of a sphere: where they are, and their colors.
"use strict"
const globe = (() => {
  const POINT_SHARE = 1.5  // points overlap a bit, so that no gaps are between cells

  async function mesh(address, signal) {
    const {header, buffer, start} = await esker.packed(address, signal)
    const places = new Float32Array(buffer, start, 3 * header.cells)
    const triangles = new Uint32Array(buffer, start + places.byteLength, 3 * header.triangles)
    return {places, triangles, nbytes: header.nbytes}
  }

  // The cells of vtk.js: triangles whose corners all have values; or, without triangles, all cells that have one.
  function cells({triangles}, codes) {
    const found = []
    for (let i = 0; i < triangles.length; i += 3)
      if (codes[triangles[i]] && codes[triangles[i + 1]] && codes[triangles[i + 2]])
        found.push(3, triangles[i], triangles[i + 1], triangles[i + 2])
    if (triangles.length === 0) codes.forEach((code, cell) => { if (code) found.push(1, cell) })
    return Uint32Array.from(found)
  }

  function show(window3d, found, codes, bytes, base, palette, height) {
    const table = palette.map((color) => esker.rgb(color).map((part) => Math.round(255 * part)))
    const rgb = new Uint8Array(3 * codes.length)
    for (let cell = 0; cell < codes.length; cell++) {
      const share = Math.max(0, bytes[cell] - base.low) / base.count
      rgb.set(table[Math.round(share * (table.length - 1))], 3 * cell)
    }
    const pixels = found.triangles.length ? 0 : Math.max(2, POINT_SHARE * height * 0.4 * Math.sqrt(4 * Math.PI / codes.length))
    window3d.showCells({places: found.places, triangles: cells(found, codes)}, rgb, pixels)
  }

  return {mesh, show}
})()
