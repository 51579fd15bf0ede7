import { resolve } from 'node:path'
import type { ChunkingContext } from 'rolldown'

type Modules = Pick<ChunkingContext, 'getModuleInfo'>

const source = resolve(import.meta.dirname, '../src')
const ofConsole = ['ui/console.tsx', 'effects/opening/console-world.ts']
const ofOthers = [
  'cli/run/run-cli.ts',
  'cli/verbs/session-report.ts',
  'mcp/transport/serve.ts',
  'effects/loops/headless.ts',
  'effects/opening/outside-later.ts',
]

/**
 * Names one file for what both the console and a command or MCP server import. Without it all of that is in the
 * console's file, and every command loads React and Ink: measured 1.2 times as long for `task list`.
 */
export const sharedWithConsole = (): ((id: string, modules: Modules) => string | null) => {
  let console: ReadonlySet<string> | undefined
  let others: ReadonlySet<string> | undefined
  return (id, modules) => {
    console ??= reachedFrom(ofConsole, modules)
    others ??= reachedFrom(ofOthers, modules)
    return console.has(id) && others.has(id) ? 'shared' : null
  }
}

/** These modules with all that they import statically. */
const reachedFrom = (entries: readonly string[], modules: Modules): ReadonlySet<string> => {
  const reached = new Set(entries.map((entry) => resolve(source, entry)))
  for (const id of reached) {
    const module = modules.getModuleInfo(id)
    if (!module) throw new Error(`${id} is not in the program. Name its new place in build/shared-with-console.ts.`)
    for (const imported of module.importedIds) reached.add(imported)
  }
  return reached
}
