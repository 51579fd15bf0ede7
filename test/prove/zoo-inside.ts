import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { person } from '../../src/domain/agent/actor.ts'
import { processesMarked } from '../../src/effects/processes/table.ts'
import { getAgent } from '../../src/operations/agents/list.ts'
import { getTask } from '../../src/operations/tasks/detail.ts'
import { perform } from '../../src/operations/perform/perform.ts'
import { shareOf } from './proof.ts'
import { sideBySide } from './side-by-side.ts'
import { openAlone } from './world.ts'

// The zoo itself, as the first process below a pid namespace of its own: `node zoo-inside.ts DIVISOR` prints its figures.

const main = resolve(import.meta.dirname, '../../dist/main.js')

/** The behaviour of an agent until its folder has a file `done`; `wait` waits for that. */
const wait = 'until [ -e "$AISWARM_ROOT/done" ]; do sleep 0.05; done'
const agents: Readonly<Record<string, string>> = {
  plain: wait,
  'with a child': `sleep 600 & ${wait}`,
  'that ignores TERM': `trap '' TERM INT HUP; ${wait}`,
  'whose child ignores TERM': `sh -c "trap '' TERM; sleep 600" & ${wait}`,
  'whose child left the session': `setsid sleep 600 & sleep 0.1; ${wait}`,
  'whose grandchild lost its parents': `(setsid sh -c 'sleep 600 & exit' &) ; sleep 0.1; ${wait}`,
  'that is stopped': `(sleep 0.3; [ -e "$AISWARM_ROOT/stops" ] && kill -STOP 0) & ${wait}`,
  'that starts another one on TERM': `trap 'setsid sleep 600 & exit 0' TERM; ${wait}`,
  'that cleans up slowly': `trap 'sleep 0.3; exit 0' TERM; ${wait}`,
  'with a pipeline': `${wait} | cat`,
  'that becomes another program': `exec sh -c '${wait}'`,
  'with fifty children': `i=0; while [ $i -lt 50 ]; do sleep 600 & i=$((i + 1)); done; ${wait}`,
}
const endings = ['end', 'terminate', 'supervisor killed', 'other namespace'] as const

/** Writes every signal that it receives to a file; a canary that has ended was killed. */
const canaryProgram = `const { appendFileSync } = require('fs'); const os = require('os');
for (const name of Object.keys(os.constants.signals)) try { process.on(name, () => appendFileSync(process.argv[1], name + '\\n')) } catch {}
appendFileSync(process.argv[1], ''); setInterval(() => {}, 1000)`

const cases = Object.keys(agents).flatMap((name) => endings.map((ending) => ({ name, ending })))
const violations: string[] = []
const counts = { agents: 0, 'signals to strangers': 0 }
// Most of a case is waiting: for grace periods, for leases of the dead, for another namespace that must leave the task
// alone.
await sideBySide(shareOf(Number(process.argv[2]), Number(process.argv[3])).some(cases), 6, async (one) => {
  counts.agents++
  try {
    for (const violation of await tryOne(one.name, one.ending))
      violations.push(`an agent ${one.name}, ${one.ending}: ${violation}`)
  } catch (error) {
    violations.push(`an agent ${one.name}, ${one.ending}: ${error instanceof Error ? error.message : String(error)}`)
  }
})
console.log(JSON.stringify({ counts, violations }))
process.exit(0)

async function tryOne(name: string, ending: (typeof endings)[number]): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'aiswarm-zoo-'))
  const root = join(folder, 'shop')
  const found: string[] = []
  mkdirSync(join(root, '.aiswarm'), { recursive: true })
  execFileSync(
    'sh',
    [
      '-ec',
      'git init --quiet --initial-branch=main; git config user.name a; git config user.email a@example.com; git commit --quiet --allow-empty -m Begin',
    ],
    {
      cwd: root,
    },
  )
  writeFileSync(join(root, '.aiswarm/config.yaml'), 'lease: {terminateGrace: 500ms, heartbeat: 300ms}\n')
  const signals = join(folder, 'signals')
  const canary = spawn(process.execPath, ['-e', canaryProgram, signals], { cwd: root, stdio: 'ignore', detached: true })
  await until('the canary', () => existsSync(signals))
  const run = () => spawn(process.execPath, [main, 'run', '--root', root], { stdio: 'ignore' })
  const ask = (...words: readonly string[]) =>
    promisify(execFile)(process.execPath, [main, ...words, '--root', root, '--json'])
  await ask('task', 'add', 'an agent', '--persona', 'implementer', '--command', agents[name]!)
  // Asked continuously, because a command for each question would use most of the processor.
  const { core } = (await openAlone(root)).world
  const task = () => perform(core, getTask, { taskId: 1 }, person)
  const isLost = async (): Promise<boolean> => {
    const { attempt, attempts } = await task()
    return attempt !== 1 || attempts[0]!.outcome !== null
  }
  let supervisor = run()
  try {
    await until('the agent', async () => (await task()).status === 'in_progress')
    await sleep(500)
    if (name === 'that is stopped' && ending !== 'end' && ending !== 'other namespace')
      writeFileSync(join(root, 'stops'), '')
    const agent = (await task()).assignedAgentId!
    if (ending === 'supervisor killed') {
      supervisor.kill('SIGKILL')
      supervisor = run()
      await sleep(3000)
      if (await isLost()) found.push('it lost its task to a new supervisor')
    }
    if (ending === 'other namespace') {
      supervisor.kill('SIGKILL')
      const other = spawn(
        'unshare',
        ['-pf', '--mount-proc', '--kill-child', 'timeout', '16', process.execPath, main, 'run', '--root', root],
        { stdio: 'ignore' },
      )
      await once(other, 'close')
      if (await isLost()) found.push('it lost its task to another namespace')
      supervisor = run()
    }
    if (ending === 'terminate' || ending === 'supervisor killed') await ask('agent', 'terminate', agent)
    else writeFileSync(join(root, 'done'), '')
    const over = async () => (await perform(core, getAgent, { agentId: agent }, person)).status === 'terminated'
    await until('the end of the agent', over)
    // A terminated agent's task is started again.
    writeFileSync(join(root, 'done'), '')
    await until('the end of the task', async () => (await task()).status === 'completed')
    supervisor.kill('SIGTERM')
    await until('the end of its processes', () => processesMarked({ AISWARM_ROOT: root }).length === 0)
    if (canary.exitCode !== null || canary.signalCode !== null)
      found.push(`a stranger was ended (${canary.signalCode})`)
    const got = readFileSync(signals, 'utf8').trim()
    if (got !== '') {
      counts['signals to strangers']++
      found.push(`a stranger got ${got.replaceAll('\n', ', ')}`)
    }
    return found
  } finally {
    for (const pid of processesMarked({ AISWARM_ROOT: root })) process.kill(pid, 'SIGKILL')
    supervisor.kill('SIGKILL')
    canary.kill('SIGKILL')
    core.store.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; !(await condition()); await sleep(100))
    if (Date.now() > end) throw new Error(`waited 60 s for ${what}`)
}
