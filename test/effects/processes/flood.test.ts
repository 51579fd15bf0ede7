import { type ChildProcess, spawn } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { plain } from '../../../src/agents/custom.ts'
import { acpTalk, openingOf } from '../../../src/agents/acp/conversation.ts'
import { git } from '../../../src/effects/git/git.ts'
import { outputOf, runCommand, startDetached } from '../../../src/effects/processes/process.ts'
import { readPid } from '../../../src/effects/processes/shim.ts'
import { RELAY, sealed } from '../../../src/effects/talk/journal-entry.ts'
import { temporaryFolder } from '../../support/core.ts'
import { endProcess } from '../../support/processes.ts'
import { repository, sh, until } from '../swarm.ts'

// Every reader of a program's output beside eight busy processes: 200 MB that are written slowly, and whose writer hands
// its pipe to another program and ends before.

const LINES = 1_000_000
const LINE = 200

/** Numbered lines; the program ends while another one still writes them. */
const flood = `seq -f '%0199.0f' 0 ${LINES - 1} & exit 0`

// The path of git is looked for once in a process.
const folder = mkdtempSync(join(tmpdir(), 'aiswarm-flood-'))
const busy: ChildProcess[] = []

beforeAll(() => {
  const real = sh('/', 'command -v git')
  const wrapper = `#!/bin/sh\nfor word in "$@"; do [ "$word" != flood ] || { ${flood}; }; done\nexec ${real} "$@"\n`
  writeFileSync(join(folder, 'git'), wrapper)
  chmodSync(join(folder, 'git'), 0o755)
  process.env['PATH'] = `${folder}${delimiter}${process.env['PATH']}`
  for (let n = 0; n < 8; n++)
    busy.push(spawn('/bin/sh', ['-c', `while kill -0 ${process.pid}; do :; done`], { stdio: 'ignore' }))
})
afterAll(() => {
  for (const one of busy) one.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

/** The first place that does not have its line; -1 if the text is whole. */
const firstWrong = (text: string | Buffer): number => {
  for (let n = 0; n < LINES; n += 97) {
    const line = text.slice(n * LINE, n * LINE + LINE).toString()
    if (line !== `${String(n).padStart(LINE - 1, '0')}\n`) return n
  }
  return text.length === LINES * LINE ? -1 : text.length
}

it('git is read whole, as text and as bytes', async () => {
  const root = repository()
  expect(firstWrong(await git(root, ['flood']))).toBe(-1)
  expect(firstWrong(await git(root, ['flood'], { bytes: true }))).toBe(-1)
}, 1_800_000)

it('another program is read whole', async () => {
  const { output, ...end } = await outputOf('/bin/sh', ['-c', flood], { cwd: '/', timeout: 1_700_000, most: 1e9 })
  expect(end).toEqual({ exitCode: 0, cut: null })
  expect(firstWrong(`${output}\n`)).toBe(-1)
}, 1_800_000)

it('a command of the configuration says in its output how much of it is missing', async () => {
  const output = join(temporaryFolder(), 'output')
  const command = flood.replace('& exit 0', '')
  expect(await runCommand(command, { cwd: '/', output, timeout: 1_700_000 })).toMatchObject({ exitCode: 0 })
  const text = readFileSync(output, 'latin1')
  const [marker, missing] = /[^\n]* (\d+) bytes \([^)]*\) are missing here: [^\n]*\n/.exec(text)!
  const kept = text.length - marker.length
  expect(kept).toBeLessThan(70 * 1024 ** 2)
  expect(kept + Number(missing)).toBe(LINES * LINE)
  expect(text.endsWith(`${LINES - 1}\n`)).toBe(true)
}, 1_800_000)

it('an agent with a driver is read whole by its relay', async () => {
  const at = temporaryFolder()
  const of = { ...plain, patience: 300 }
  writeFileSync(join(at, 'turns.json'), JSON.stringify([[{ leave: flood.replace('& exit 0', '') }]]))
  const journal = join(at, 'journal')
  const write = (id: string, line: string): void => appendFileSync(journal, sealed('a key', { id, line }))
  write('open', openingOf(of, { folder: at, resume: null }, { mcpServers: [], modes: of.modes, strict: true }))
  write('prompt', acpTalk(of).say('prompt', 'the prompt', false))
  const files = { output: join(at, 'output'), pidFile: join(at, 'pid'), exitFile: join(at, 'exit') }
  const agent = [process.execPath, resolve(import.meta.dirname, '../../fixtures/acp-agent.mjs'), at]
  const program = [process.execPath, resolve(import.meta.dirname, '../../../dist/main.js')]
  await startDetached({
    argv: [...program, RELAY, journal, 'acp', '300', '600000', ...agent],
    cwd: at,
    environment: { PATH: process.env['PATH'] ?? '' },
    stdin: null,
    ...files,
    seal: 'seal',
    journalKey: 'a key',
  })
  const pid = await until('the shim', () => readPid(files.pidFile))
  onTestFinished(() => endProcess(-pid))
  await expect.poll(() => existsSync(files.exitFile), { timeout: 1_700_000, interval: 500 }).toBe(true)
  const size = LINES * LINE
  expect(statSync(files.output).size).toBeGreaterThan(size)
  // Before the lines is what was said to open the conversation.
  const text = readFileSync(files.output)
  const first = text.indexOf(`${'0'.repeat(LINE - 1)}\n`)
  expect(firstWrong(text.subarray(first, first + size))).toBe(-1)
  expect(text.length).toBe(first + size)
}, 1_800_000)
