import { join } from 'node:path'
import { Refusal } from '../../domain/rules/refusal.ts'
import { ensureMemoryFolder } from '../../memory/file-system.ts'
import { readMemoryFile, writeMemoryFile } from '../../memory/files.ts'

/** The path from the repository's root that seed 002 calls. */
const PROGRAM = '.bmad-core/utils/persist-memory-cli.js'
const FIRST_LINES = '#!/usr/bin/env node\n// Written by `aiswarm init --bmad`, which also renews it.\n'

/**
 * `aiswarm init --bmad`: creates the program, or updates aiswarm's own. Returns the path if it wrote it. Refuses to
 * replace a foreign file.
 */
export const writeBmadProgram = (root: string, self: readonly string[]): readonly string[] => {
  const path = join(root, PROGRAM)
  const folder = ensureMemoryFolder(root, join(PROGRAM, '..'))
  const known = readMemoryFile(path)
  const text = programText(self)
  const there = known && Buffer.from(known.bytes).toString('utf8')
  if (there === text) return []
  if (there !== undefined && !there.startsWith(FIRST_LINES))
    throw new Refusal('path_exists', `${path} exists, but aiswarm did not write it; move it away and try again.`)
  writeMemoryFile(join(folder, 'persist-memory-cli.js'), text)
  return [path]
}

/**
 * The program calls aiswarm where it was when this was written, otherwise the one on PATH. It loads modules with
 * import(), which works whether or not the surrounding package.json declares modules.
 */
const programText = (self: readonly string[]): string => `${FIRST_LINES}
const self = ${JSON.stringify(self)}
const texts = { observation: 'observation', decision: 'decision', blocker: 'blocker', keyfact: 'key fact' }
const others = ['show', 'resolve', 'resolve-blocker', 'context', 'plan', 'step', 'complete', 'hygiene', 'archive']

const main = async () => {
  const { existsSync } = await import('node:fs')
  const { spawnSync } = await import('node:child_process')
  const [command, ...rest] = process.argv.slice(2)
  if (command === undefined) return fail('Usage: node ${PROGRAM} observation|decision|blocker|keyfact|show AGENT [TEXT...]')
  if (!Object.hasOwn(texts, command) && !others.includes(command)) return fail('Unknown command: ' + command)
  const { words, options } = command === 'keyfact' ? partsOf(rest) : { words: rest, options: [] }
  if (words.length === 0) return fail('Error: agent name required')
  if (words.length === 1 && Object.hasOwn(texts, command)) return fail('Error: ' + texts[command] + ' text required')
  const [node, script] = self
  const [program, ...before] = existsSync(script) ? [existsSync(node) ? node : process.execPath, script] : ['aiswarm']
  // A text may begin with "-", and with three words \`resolve\` is about a blocker.
  const argv = [...before, 'memory', command === 'resolve' ? 'resolve-blocker' : command, ...options, '--', ...words]
  const { status, error } = spawnSync(program, argv, { stdio: 'inherit' })
  if (error) return fail('Error: aiswarm was not found; install it, or run "aiswarm init --bmad" again (' + error.message + ')')
  process.exitCode = status === 0 ? 0 : 1
}

const partsOf = (given) => {
  const words = []
  const options = []
  for (let at = 0; at < given.length; at++) {
    if (given[at] === '--critical') options.push('--critical')
    else if (given[at] === '--key' && at + 1 < given.length) options.push('--key=' + given[++at])
    else if (given[at].startsWith('--key=')) options.push(given[at])
    else words.push(given[at])
  }
  return { words, options }
}

const fail = (sentence) => {
  console.error(sentence)
  process.exitCode = 1
}

main()
`
