import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { processesMarked } from '../../src/effects/process-table.ts'
import { shareOf } from './proof.ts'

// The zoo itself, as the first process below a pid namespace of its own: `node zoo-inside.ts DIVISOR` prints its figures.

const main = resolve(import.meta.dirname, '../../dist/main.js')

/** How an agent behaves until its folder has a file `done`; `wait` is that. */
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

/** Writes every signal that it gets into a file; an ended one has been killed. */
const canaryProgram = `const { appendFileSync } = require('fs'); const os = require('os');
for (const name of Object.keys(os.constants.signals)) try { process.on(name, () => appendFileSync(process.argv[1], name + '\\n')) } catch {}
appendFileSync(process.argv[1], ''); setInterval(() => {}, 1000)`

const cases = Object.keys(agents).flatMap((name) => endings.map((ending) => ({ name, ending })))
const violations: string[] = []
const counts = { agents: 0, 'signals to strangers': 0 }
for (const one of shareOf(Number(process.argv[2]), Math.floor(Date.now() / 86_400_000)).some(cases)) {
  counts.agents++
  try {
    for (const violation of await tryOne(one.name, one.ending)) violations.push(`an agent ${one.name}, ${one.ending}: ${violation}`)
  } catch (error) {
    violations.push(`an agent ${one.name}, ${one.ending}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
console.log(JSON.stringify({ counts, violations }))
process.exit(0)

async function tryOne(name: string, ending: (typeof endings)[number]): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'aiswarm-zoo-'))
  const root = join(folder, 'shop')
  const found: string[] = []
  mkdirSync(join(root, '.aiswarm'), { recursive: true })
  execFileSync('sh', ['-ec', 'git init --quiet --initial-branch=main; git config user.name a; git config user.email a@example.com; git commit --quiet --allow-empty -m Begin'], {
    cwd: root,
  })
  writeFileSync(join(root, '.aiswarm/config.yaml'), 'lease: {terminateGrace: 500ms, heartbeat: 300ms}\n')
  const signals = join(folder, 'signals')
  const canary = spawn(process.execPath, ['-e', canaryProgram, signals], { cwd: root, stdio: 'ignore', detached: true })
  await until('the canary', () => existsSync(signals))
  const run = () => spawn(process.execPath, [main, 'run', '--root', root], { stdio: 'ignore' })
  const ask = (...words: readonly string[]) => execFileSync(process.execPath, [main, ...words, '--root', root, '--json'], { encoding: 'utf8' })
  const task = () => JSON.parse(ask('task', 'show', '1')) as { status: string; attempt: number; attempts: readonly { outcome: string | null }[]; assignedAgentId: string | null }
  ask('task', 'add', 'an agent', '--persona', 'implementer', '--command', agents[name]!)
  let supervisor = run()
  try {
    await until('the agent', () => task().status === 'in_progress')
    await sleep(500)
    if (name === 'that is stopped' && ending !== 'end' && ending !== 'other namespace') writeFileSync(join(root, 'stops'), '')
    const agent = task().assignedAgentId!
    if (ending === 'supervisor killed') {
      supervisor.kill('SIGKILL')
      supervisor = run()
      await sleep(3000)
      if (task().attempt !== 1 || task().attempts[0]!.outcome !== null) found.push('it lost its task to a new supervisor')
    }
    if (ending === 'other namespace') {
      supervisor.kill('SIGKILL')
      spawnSync('unshare', ['-pf', '--mount-proc', '--kill-child', 'timeout', '16', process.execPath, main, 'run', '--root', root], { stdio: 'ignore' })
      if (task().attempt !== 1 || task().attempts[0]!.outcome !== null) found.push('it lost its task to another namespace')
      supervisor = run()
    }
    if (ending === 'terminate' || ending === 'supervisor killed') ask('agent', 'terminate', agent)
    else writeFileSync(join(root, 'done'), '')
    const over = () => (JSON.parse(ask('agent', 'list', '--all')) as { id: string; status: string }[]).find(({ id }) => id === agent)!.status === 'terminated'
    await until('the end of the agent', over)
    // A terminated agent's task is started anew.
    writeFileSync(join(root, 'done'), '')
    await until('the end of the task', () => task().status === 'completed')
    supervisor.kill('SIGTERM')
    await until('the end of its processes', () => processesMarked({ AISWARM_ROOT: root }).length === 0)
    if (canary.exitCode !== null || canary.signalCode !== null) found.push(`a stranger was ended (${canary.signalCode})`)
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
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function until(what: string, condition: () => boolean): Promise<void> {
  for (const end = Date.now() + 60_000; !condition(); await sleep(100)) if (Date.now() > end) throw new Error(`waited 60 s for ${what}`)
}
