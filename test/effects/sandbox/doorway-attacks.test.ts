import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { outputPath } from '../../../src/effects/files/paths.ts'
import { machine } from '../../../src/effects/sandbox/machine.ts'
import { act } from '../../../src/operations/perform/perform.ts'
import { startSession } from '../../../src/operations/sessions/start.ts'
import { temporaryFolder } from '../../support/core.ts'
import { needs } from '../../support/needs.ts'
import { openSwarm, read } from '../swarm.ts'

// Attacks of a program in a sandbox through the doorway: words that the command line outside would obey, and requests
// that the command `aiswarm` would never send.

beforeEach(async (context) => {
  needs(context, 'bubblewrap' in (await machine()), 'nothing can be confined')
  vi.stubEnv('AISWARM_SANDBOX', 'auto')
  return () => vi.unstubAllEnvs()
})

/** Sends each of these lines on a connection of its own, and prints what comes back for it as a line of JSON. */
const senderOf = (lines: readonly string[]): string => `
const { connect } = require('node:net')
const { existsSync } = require('node:fs')
process.chdir(process.env.AISWARM_DOORWAY)
while (!existsSync('door')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
const sent = (line) => new Promise((resolve) => {
  let said = ''
  const socket = connect('door')
  socket.on('connect', () => socket.write(line))
  socket.on('error', () => {})
  socket.on('data', (piece) => (said += piece))
  socket.on('close', () => resolve(said))
})
const all = async () => {
  for (const line of [${lines.join(', ')}]) console.log(JSON.stringify(await sent(line)))
}
all()
`

const request = (more: string): string =>
  `JSON.stringify({aiswarm: 1, ask: 'operation', caller: {agentId: process.env.AISWARM_AGENT_ID, token: process.env.AISWARM_AGENT_TOKEN}, call: {operation: 'task list', input: {}, shown: {json: true, terminal: false, clears: false, columns: null}}, ...${more}}) + '\\n'`

const called = (call: string): string =>
  request(`{call: {shown: {json: true, terminal: false, clears: false, columns: null}, ...${call}}}`)

const opened = async ({ config = '', persona = 'implementer' } = {}) => {
  const swarm = await openSwarm({ config })
  const folder = await swarm.build('auth')
  /** Runs a script as an agent in the worktree; returns what it printed. */
  const run = async (script: string): Promise<string> => {
    const task = await swarm.carryOut(script, { targetWorktree: 'auth', personaId: persona })
    return read(outputPath(swarm.root, task.attempts.at(-1)!.agentId))
  }
  const begin = () => act(swarm.connection, startSession, {})
  return { folder, run, begin }
}

describe('words for the command line outside', () => {
  it('write no file of the person as an export', async () => {
    const { run, begin } = await opened()
    await begin()
    const person = temporaryFolder()
    mkdirSync(join(person, 'folder'))
    await run(
      `ln -s ${person}/folder ./--help; aiswarm session export -- --help; aiswarm session export ${person}/folder --help`,
    )
    expect(readdirSync(join(person, 'folder'))).toEqual([])
  })

  it('copy no board', async () => {
    const { run, folder } = await opened()
    const said = await run('aiswarm db backup -- -h; aiswarm db backup -- --help; echo "code $?"')
    expect(readdirSync(folder).filter((name) => name.startsWith('-'))).toEqual([])
    expect(said).toContain("'aiswarm db backup' is not for an agent in a sandbox.\ncode 1")
  })

  it('read no file of the person', async () => {
    const { run } = await opened()
    const person = temporaryFolder()
    writeFileSync(join(person, 'secret'), 'the-password\n')
    const said = await run(
      `own=progress-$AISWARM_AGENT_ID.md; ln -s ${person}/secret ./--help; aiswarm memory write -- "$own" --help; aiswarm memory write "$own" ${person}/secret; aiswarm memory read "$own"; aiswarm memory handoff "$AISWARM_AGENT_ID" other --file ${person}/secret; aiswarm memory load handoff other --help; aiswarm memory compress --tokens 200000 --context ${person}/secret --summary --help --details ${person}/secret; cat ${person}/secret`,
    )
    expect(said).not.toContain('the-password')
  })

  it('start no supervisor, server or console', async () => {
    const { run, folder } = await opened()
    const said = await run(
      `aiswarm run --until-idle --report --help; echo "code $?"; aiswarm; echo "code $?"; aiswarm tui; aiswarm mcp --http 0; aiswarm metrics --serve 0; aiswarm worker --labels --help --once; aiswarm demo; ls -a`,
    )
    expect(said.match(/is not for an agent in a sandbox/g)).toHaveLength(7)
    expect(existsSync(join(folder, '--help'))).toBe(false)
  })
})

describe('the socket of the doorway', () => {
  it('is in a folder that the program cannot write', async () => {
    const { run } = await opened()
    const said = await run(
      'until [ -e "$AISWARM_DOORWAY/door" ]; do sleep 0.1; done; cd "$AISWARM_DOORWAY"; for one in "touch made" "ln -s / link" "rm door" "mv door elsewhere"; do $one 2> /dev/null && echo "do""ne: $one"; done; cd /; aiswarm task list --json',
    )
    expect(said).not.toContain('done: ')
    expect(said).toContain('"id":1')
  })
})

/** Requests that the command line would not send, and words of the sentence with which each is refused. */
const forged: readonly (readonly [what: string, line: string, sentence: string])[] = [
  ['has a NUL', called("{operation: 'agent say', input: {id: 'a\\0', text: 'x'}}"), 'NUL character'],
  ['is longer than 8 MB', called("{operation: 'task list', input: {where: 'x'.repeat(10 * 1024 * 1024)}}"), '8 MB'],
  ['is no JSON', "'{\\n'", 'not JSON'],
  ['is deeper than 64 levels', `'['.repeat(100000) + ']'.repeat(100000) + '\\n'`, 'deeper than 64 levels'],
  ['has another version', request('{aiswarm: 2}'), 'reads version 1'],
  [
    'has variables',
    request("{environment: {GIT_DIR: '/tmp', NODE_OPTIONS: '--require=/tmp/x', AISWARM_ROOT: '/'}}"),
    'another form',
  ],
  ['has words', request("{args: ['db', 'backup', '/tmp/x'], cwd: '/'}"), 'another form'],
  [
    'names an operation outside of the list',
    called("{operation: 'worktree approve', input: {name: 'auth'}}"),
    'is not for an agent',
  ],
  ['names an operation that does not exist', called("{operation: 'constructor', input: {}}"), 'is not for an agent'],
  [
    'gives an option outside of the list',
    called("{operation: 'agent terminate', input: {id: 'x', gone: true}}"),
    'Unrecognized key',
  ],
  ['gives a value of another type', called("{operation: 'task show', input: {id: '1; rm'}}"), 'task show at id'],
  [
    'names another agent with its own token',
    request("{caller: {agentId: 'implementer-9', token: process.env.AISWARM_AGENT_TOKEN}}"),
    'implementer-9',
  ],
  [
    'names itself with another token',
    request("{caller: {agentId: process.env.AISWARM_AGENT_ID, token: 'guessed'}}"),
    'is not valid',
  ],
]

describe('a request that the command line would not send', () => {
  it('is refused with one sentence, and the next is served', async () => {
    const { run } = await opened()
    const lines = [...forged.map(([, line]) => line), called("{operation: 'task list', input: {}}")]
    const said = await run(`'${process.execPath}' - <<'END'\n${senderOf(lines)}\nEND`)
    const answers = said
      .trim()
      .split('\n')
      .map((answer) => (JSON.parse(answer) as string).split('\n').slice(0, -1))
      .map((parts) => parts.map((part) => JSON.parse(part) as { readonly page?: string; readonly end?: true }))
    for (const [at, [what, , sentence]] of forged.entries())
      expect({ what, answer: answers[at] }).toEqual({
        what,
        answer: [
          { aiswarm: 1, page: expect.stringContaining(sentence) as string },
          { aiswarm: 1, end: true },
        ],
      })
    expect(answers.at(-1)![0]!.page).toContain('"answer":{"json":[{"id":1')
  })

  it('is not waited for if it is cut, and others are served meanwhile', async () => {
    const { run } = await opened()
    const said = await run(
      `cat > cut.cjs <<'END'
process.chdir(process.env.AISWARM_DOORWAY)
const sockets = Array.from({ length: 40 }, () => require('node:net').connect('door'))
for (const socket of sockets) socket.on('error', () => {}).write('{"aiswarm":1,"ask":')
setTimeout(() => process.exit(), 20_000)
END
'${process.execPath}' -e "$(cat cut.cjs)" & sleep 1; aiswarm task list; echo "code $?"; kill $!; aiswarm task list; echo "code $?"`,
    )
    expect(said.match(/code 0/g)).toHaveLength(2)
  })

  it('takes no memory of the limits: they are watched while the doorway is busy', async () => {
    const { run } = await opened()
    const said = await run(
      'for i in 1 2 3 4 5 6; do aiswarm task list > /dev/null & done; wait; aiswarm task list; echo "code $?"',
    )
    expect(said).toContain('code 0')
  })
})

it('the person gives a command on a file board no more rights than the token of the agent has', async () => {
  const { run } = await opened()
  const said = await run(
    'env -u AISWARM_AGENT_ID -u AISWARM_AGENT_TOKEN aiswarm memory observation someone-else "mine"; echo "code $?"; env -u AISWARM_AGENT_TOKEN aiswarm task list > /dev/null; echo "code $?"',
  )
  expect(said).toContain('cannot write the working memory of someone-else')
  expect(said).toContain('code 1\ncode 0')
})
