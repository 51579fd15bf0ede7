import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { startProgram } from './program.ts'
import { dark, svgOf } from './svg.ts'

// `npm run screens` plays the demo in a terminal and writes what its screen shows to docs/screens/, one SVG file per
// picture. Process ids and times differ from run to run, so the files do too.

const folder = resolve(import.meta.dirname, '../../docs/screens')
mkdirSync(folder, { recursive: true })

const demo = startProgram(['demo'], 120, 36)
const picture = (name: string, title: string): void => {
  writeFileSync(join(folder, `${name}.svg`), svgOf(demo.terminal, dark, title))
  process.stdout.write(`docs/screens/${name}.svg\n`)
}
try {
  await demo.until(/tasks \S+ 2\/6/)
  picture('console', 'The console while agents work: the board, the agents, a log and the worktrees')
  await demo.until(/tasks \S+ 6\/6/)
  demo.press('4')
  demo.press('i')
  await demo.until('⚑ ready')
  await demo.until('Commits (')
  picture('review', 'A merge that waits for approval: its commits, its verification and its diff')
} finally {
  await demo.end()
}
