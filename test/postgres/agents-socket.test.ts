import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { repository, until } from '../effects/swarm.ts'
import { ownCluster, runSql, withPassword } from '../support/board-on-server.ts'
import { agentsOf, environmentOf } from '../support/processes.ts'
import { type Host, hosts, task, twoHosts } from '../support/hosts.ts'

// Agents of a host reach the board through the process that runs them: they have no password, and no connection to the
// server.

const cluster = ownCluster()
const main = resolve(import.meta.dirname, '../../dist/main.js')
const agent = resolve(import.meta.dirname, '../fixtures/calling-agent.mjs')
const PASSWORD = 'correct-horse'

const config = `
sandbox: off
lease: {ttl: 3s, heartbeat: 500ms, terminateGrace: 200ms}
agents: {default: caller, kinds: {caller: {command: [sh, -c, 'exec "$0" "$1" "$HOME/agent-$AISWARM_TASK_ID"', '${process.execPath}', '${agent}']}}}
`

interface Answer {
  readonly isError?: boolean
  readonly structuredContent?: Readonly<Record<string, unknown>>
  readonly content: readonly { readonly text: string }[]
}

/** An agent at work on a host: its calls, and the answers to them. */
const agentOn = async ({ home, root }: Host, id: number) => {
  const folder = join(home, `agent-${id}`)
  const answers = (): readonly string[] =>
    existsSync(join(folder, 'answers')) ? readFileSync(join(folder, 'answers'), 'utf8').split('\n').slice(0, -1) : []
  await until('its server', () => answers().length > 0)
  const tell = (line: string): void => appendFileSync(join(folder, 'calls'), `${line}\n`)
  return {
    ends: () => tell('end'),
    call: async (name: string, input: object): Promise<Answer> => {
      const before = answers().length
      tell(JSON.stringify({ name, arguments: input }))
      await until(`the answer to ${name}`, () => answers().length > before)
      return (JSON.parse(answers()[before]!) as { result: Answer }).result
    },
    /** Runs the command line as the agent would, with some variables changed. */
    command: (words: readonly string[], changes: Readonly<Record<string, string | undefined>> = {}) => {
      const env = { ...environmentOf(agentsOf(root)[0]!), ...changes }
      const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...words], {
        cwd: root,
        env,
        encoding: 'utf8',
      })
      return { status, stdout, stderr }
    },
  }
}

const addOn = (first: Host, name: string): number => {
  first.run(['worktree', 'create', name, '--branch', name, '--host', hosts(first)[1]!.id])
  return first.run<{ id: number }>(['task', 'add', name, '--persona', 'implementer', '--worktree', name]).id
}

const fleet = async ({ alone = false } = {}) => {
  const role = `anna_${process.pid}_${Date.now()}`
  await withPassword(cluster, role, PASSWORD)
  const { first, second } = await twoHosts(cluster, {
    root: repository({ '.aiswarm/config.yaml': config }),
    user: role,
    environment: { PGPASSWORD: PASSWORD },
  })
  first.worker()
  if (!alone) second.worker()
  await until('the workers', () => hosts(first).every(({ beatAt }) => alone || beatAt !== null))
  return { first, second, role }
}

/** Commands with which an agent would decide as a person does. */
const forPersons: readonly (readonly string[])[] = [
  ['worktree', 'approve', 'lamp'],
  ['request', 'answer', '1', '--allow'],
  ['host', 'lost', 'vm-2', '--yes'],
  ['host', 'drain', 'vm'],
  ['fleet', 'join-code'],
  ['fleet', 'remote', '/tmp/elsewhere.git'],
  ['db', 'backup', '/tmp/board-of-a-test'],
]

/** Statements by which an agent would change or read the board by hand. */
const statements: readonly string[] = [
  "UPDATE task_status SET status = 'completed'",
  "UPDATE integrations SET status = 'approved', approved_by = 'human', approved_at = 'now'",
  "UPDATE requests SET status = 'allowed'",
  "UPDATE hosts SET epoch = epoch + 1, state = 'lost'",
  "UPDATE agents SET token_hash = 'mine'",
  "INSERT INTO host_joins VALUES ('mine', '[]', 'now', 'later', NULL)",
  'DELETE FROM events',
  'DROP SCHEMA public CASCADE',
  'SELECT * FROM repository_guard',
  "SELECT pg_notify('board', '')",
]

/** Connections of a process to the server: each names the socket of the cluster at its other end. */
const connectionsOf = (pid: number): readonly string[] => {
  const inodes = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? []
    } catch {
      return []
    }
  })
  const listed = spawnSync('ss', ['-xpnH'], { encoding: 'utf8' }).stdout.split('\n')
  const peers = new Set(
    listed.filter((line) => line.includes('.s.PGSQL')).map((line) => line.trim().split(/\s+/).at(7)),
  )
  return inodes.filter((inode) => peers.has(inode))
}

test(
  'no process of an agent has the password of the server or a connection to it, and its tools and commands work',
  { timeout: 120_000 },
  async () => {
    const { first, second, role } = await fleet()
    const id = addOn(first, 'lamp')
    const lamp = await agentOn(second, id)
    expect(await lamp.call('start_task', { taskId: id })).toMatchObject({
      structuredContent: { status: 'in_progress' },
    })
    expect(await lamp.call('report_task_progress', { taskId: id, progressNote: 'half' })).not.toHaveProperty('isError')
    const processes = agentsOf(second.root)
    expect(processes.length).toBeGreaterThan(1)
    for (const pid of processes) {
      const variables = Object.entries(environmentOf(pid))
      expect(variables.filter(([name, value]) => name.startsWith('PG') || value.includes(PASSWORD))).toEqual([])
      expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(PASSWORD)
      expect(connectionsOf(pid)).toEqual([])
    }
    // The same look finds those of the workers.
    const workers = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => isWorkerOf(pid, second.root))
    expect(workers.flatMap(connectionsOf)).not.toEqual([])
    // The variables of an agent do not open the board, and its commands work.
    const alone = { AISWARM_WORKER: undefined, AISWARM_WITHOUT_WORKER: undefined }
    expect(lamp.command(['task', 'show', String(id)], alone).stderr).toContain('password')
    for (const words of forPersons) {
      const { status, stderr } = lamp.command(words)
      expect({ words, status, stderr }).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('password') as string,
      })
    }
    const store = readFileSync(join(second.root, '.aiswarm/store.yaml'), 'utf8')
    const url = /postgresql:[^\s"']+/.exec(store)![0].replace(/[?&]schema=\w+/, '')
    for (const statement of statements) {
      const { stderr } = spawnSync('psql', ['-w', '-d', url, '-c', statement], {
        env: environmentOf(processes[0]!),
        encoding: 'utf8',
      })
      expect(stderr).toContain('no password supplied')
    }
    expect(task(first, id)).toMatchObject({ status: 'in_progress', attempt: 1 })
    expect(lamp.command(['task', 'show', String(id)]).stdout).toContain('last progress')
    const own = await runSql<{ n: number }>(
      cluster,
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE usename = '${role}'`,
    )
    expect(own[0]!.n).toBeGreaterThan(0)
    await lamp.call('complete_task', { taskId: id })
    lamp.ends()
    await until('its end', () => task(first, id).status === 'completed')
  },
)

test(
  'a call through the socket is refused with the token of another agent, and without a name',
  { timeout: 120_000 },
  async () => {
    const { first, second } = await fleet()
    const [one, two] = [addOn(first, 'one'), addOn(first, 'two')]
    const [agent] = [await agentOn(second, one), await agentOn(second, two)]
    const names = [...new Set(agentsOf(second.root).map((pid) => environmentOf(pid)['AISWARM_AGENT_ID']!))]
    expect(names).toHaveLength(2)
    for (const name of names) {
      const tokens = agentsOf(second.root)
        .map(environmentOf)
        .filter((env) => env['AISWARM_AGENT_ID'] !== name)
      const said = agent.command(['task', 'list'], {
        AISWARM_AGENT_ID: name,
        AISWARM_AGENT_TOKEN: tokens[0]!['AISWARM_AGENT_TOKEN'],
      })
      expect(said).toMatchObject({
        status: 1,
        stderr: `The token of agent ${name} is not valid, or its run has ended.\n`,
      })
    }
    const said = agent.command(['task', 'list'], { AISWARM_AGENT_TOKEN: undefined })
    expect(said.stderr).toContain('is not valid, or its run has ended.')
    expect(raw(second, { args: ['task', 'list'], cwd: '/', environment: {} })).toContain(
      'this socket serves only agents',
    )
    const name = names[0]!
    // A forged token, and variables by which the worker would run code of the agent or open another board.
    const forged = { AISWARM_AGENT_ID: name, AISWARM_AGENT_TOKEN: 'f'.repeat(64) }
    expect(raw(second, { args: ['task', 'list'], cwd: '/', environment: forged })).toContain('is not valid')
    const marker = join(second.home, 'ran')
    const evil = join(second.home, 'evil.cjs')
    writeFileSync(evil, `require('fs').writeFileSync(${JSON.stringify(marker)}, '')`)
    const own = agentsOf(second.root)
      .map(environmentOf)
      .find((env) => env['AISWARM_AGENT_ID'] === name)!
    const valid = { AISWARM_AGENT_ID: name, AISWARM_AGENT_TOKEN: own['AISWARM_AGENT_TOKEN']! }
    const environment = {
      ...valid,
      NODE_OPTIONS: `--require ${evil}`,
      AISWARM_STORE: 'postgresql://nobody@localhost/no',
    }
    expect(raw(second, { args: ['task', 'list'], cwd: '/', environment })).toContain('two')
    expect(existsSync(marker)).toBe(false)
    for (const args of [
      ['worktree', 'approve', 'one'],
      ['host', 'lost', 'a', '--yes'],
      ['db', 'backup', '/tmp/board'],
    ])
      expect(raw(second, { args, cwd: '/', environment: { AISWARM_AGENT_ID: name } })).toContain('is not for an agent')
  },
)

test(
  'the worker of a host is killed and started again, and each call of its agent is answered and done once',
  { timeout: 120_000 },
  async () => {
    const { first, second } = await fleet({ alone: true })
    let worker = workerIn(second)
    await until('the worker', () => hosts(first)[1]!.beatAt !== null)
    const id = addOn(first, 'lamp')
    const lamp = await agentOn(second, id)
    await lamp.call('start_task', { taskId: id })
    const titles = Array.from({ length: 8 }, (_, n) => `bulb ${n}`)
    for (const [n, title] of titles.entries()) {
      // Stopped, it has the call and does nothing; later kills meet it before, in and after the transaction.
      if (n === 0) worker.kill('SIGSTOP')
      const asked = lamp.call('create_subtask', { parentTaskId: id, title, description: '', personaId: 'tester' })
      if (n > 0) await sleep(n * 12)
      worker.kill('SIGKILL')
      worker = workerIn(second)
      expect(await asked).toMatchObject({ structuredContent: { title } })
    }
    const made = first.run<readonly { title: string }[]>(['task', 'list']).map(({ title }) => title)
    expect(made.filter((title) => title.startsWith('bulb')).sort()).toEqual(titles)
    lamp.ends()
  },
)

/** A worker whose end is not that of its agents. */
const workerIn = ({ root, environment }: Host): ChildProcess => {
  const child = spawn(process.execPath, [main, 'worker'], { cwd: root, env: environment, stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

const isWorkerOf = (pid: number, root: string): boolean => {
  try {
    return (
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`${main}\0worker`) &&
      readlinkSync(`/proc/${pid}/cwd`) === root
    )
  } catch {
    return false
  }
}

/** The answer to a first line as another program would send it. */
const raw = ({ root }: Host, request: object): string => {
  mkdirSync(join(root, '.aiswarm/run'), { recursive: true })
  const script = `const s = require('net').connect('worker'); s.write(process.argv[1] + '\\n'); s.pipe(process.stdout)`
  const { stdout } = spawnSync(process.execPath, ['-e', script, JSON.stringify(request)], {
    cwd: join(root, '.aiswarm/run'),
    encoding: 'utf8',
  })
  return stdout
}
