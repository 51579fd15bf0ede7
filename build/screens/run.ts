import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { startProgram } from './program.ts'
import { scenes, sizes, visit } from './scenes.ts'
import { dark, light, type Palette, svgOf } from './svg.ts'

// `npm run screens` plays the demo in a terminal and writes what its screen shows, one SVG file per picture: the two of
// the README to docs/screens/, and every scene at every size in three themes to screens/, with a page that shows all.
// Process ids and times differ from run to run, so the files do too.

const root = resolve(import.meta.dirname, '../..')
const documents = join(root, 'docs/screens')
const all = join(root, 'screens')
for (const folder of [documents, all]) mkdirSync(folder, { recursive: true })

/** Themes in the order of the key that changes them, with the colours of a terminal in which they are used. */
const themes: readonly (readonly [name: string, palette: Palette])[] = [
  ['dark', dark],
  ['light', light],
  ['contrast', { ...dark, background: '#000000', text: '#ffffff' }],
]
const CTRL_T = '\u0014'

const demo = startProgram(['demo'], 120, 36)
const write = (folder: string, name: string, palette: Palette, title: string): string => {
  const file = `${name}.svg`
  writeFileSync(join(folder, file), svgOf(demo.terminal, palette, title))
  return file
}

/** A page with all pictures, those of one scene next to each other, so that a person can look at each one. */
const galleryOf = (pictures: readonly Picture[]): string => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Screens of aiswarm</title>
<style>body{font:14px system-ui;margin:2rem;background:#777}figure{display:inline-block;margin:0 1rem 2rem 0;vertical-align:top}img{max-width:95vw;display:block}</style>
${[...Map.groupBy(pictures, ({ title }) => title)]
  .map(
    ([title, all]) =>
      `<h2>${title}</h2>\n${all.map(({ file, theme, size }) => `<figure><img src="${file}" alt="${title}"><figcaption>${theme}, ${size}</figcaption></figure>`).join('\n')}`,
  )
  .join('\n')}
</html>
`

try {
  await demo.until(/tasks \S+ 2\/6/)
  write(documents, 'console', dark, 'The console while agents work: the board, the agents, a log and the worktrees')
  await demo.until(/tasks \S+ 6\/6/)
  demo.press('4')
  demo.press('i')
  await demo.until('⚑ ready')
  await demo.until('Commits (')
  write(documents, 'review', dark, 'A merge that waits for approval: its commits, its verification and its diff')
  demo.press('\u001b')
  await demo.settled()
  const pictures: Picture[] = []
  for (const [theme, palette] of themes) {
    await demo.resize(120, 36)
    demo.press(CTRL_T)
    await demo.settled()
    for (const [columns, rows] of sizes) {
      await demo.resize(columns, rows)
      for (const scene of scenes) {
        const size = `${columns}×${rows}`
        const shown = await visit(demo, scene, () => {
          const file = write(all, `${scene.name}-${theme}-${columns}x${rows}`, palette, `${scene.title}, ${size}`)
          pictures.push({ file, theme, size, title: scene.title })
        })
        if (!shown) process.stdout.write(`${scene.title} at ${size} does not show ${scene.shows}.\n`)
      }
    }
  }
  writeFileSync(join(all, 'index.html'), galleryOf(pictures))
  process.stdout.write(`${pictures.length} pictures: screens/index.html\n`)
} finally {
  await demo.end()
}

/** A picture of the gallery. */
interface Picture {
  readonly file: string
  readonly theme: string
  readonly size: string
  readonly title: string
}
