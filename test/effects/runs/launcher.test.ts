import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { Refusal } from '../../../src/domain/rules/refusal.ts'
import { outputPath, runPath } from '../../../src/effects/files/paths.ts'
import { livenessOf } from '../../../src/effects/processes/identity.ts'
import { readPid } from '../../../src/effects/processes/shim.ts'
import { processesMarked } from '../../../src/effects/processes/table.ts'
import { dryRun } from '../../../src/effects/runs/dry-run.ts'
import { launch, makeAgentHome } from '../../../src/effects/runs/launcher.ts'
import { settle } from '../../../src/effects/runs/termination.ts'
import { spawnAgent } from '../../../src/operations/agents/spawn.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { refused, temporaryFolder } from '../../support/core.ts'
import { connectionOf } from '../../support/store.ts'
import { openSwarm, read, repository, type Swarm, until, write } from '../swarm.ts'

/** A kind that runs a line of sh and must report its own result. */
const kind = (script: string, more = ''): string =>
  `agents:\n  default: mine\n  kinds:\n    mine: {command: [/bin/sh, -c, ${JSON.stringify(script)}, mine, "{prompt}"]${more}}\n`

/** The launcher seems to have died before it recorded the process. */
const forgotten =
  "UPDATE agents SET process = 'wanted', process_id = NULL, process_started_at = NULL, boot_id = NULL WHERE kind = 'command'"

const outputOf = (swarm: Swarm, agentId: string): string => readFileSync(outputPath(swarm.root, agentId), 'utf8')

describe('a launched command', () => {
  it.each([
    [
      'quotes and expansions',
      `printf '%s\\n' "it's" '$(not run)' '\`nor this\`' "\${HOME:+home}" 'a "b" c'`,
      'it\'s\n$(not run)\n`nor this`\nhome\na "b" c\n',
    ],
    ['more than one line', 'echo one\ncat <<EOF\ntwo $((1 + 1))\nEOF\n# three\necho four', 'one\ntwo 2\nfour\n'],
    ['letters of all the world', "echo 'naïve 日本語 😀 \u202e'", 'naïve 日本語 😀 \u202e\n'],
    ['backslashes and percent signs', `printf '%s' 'a\\nb%s\\\\'`, 'a\\nb%s\\\\'],
  ])('with %s reaches the shell byte for byte', async (_, command, output) => {
    const swarm = await openSwarm()
    const task = await swarm.carryOut(command)
    expect(task.status).toBe('completed')
    expect(outputOf(swarm, 'implementer-1')).toBe(output)
  })

  it('writes both of its outputs to the file, in order', async () => {
    const swarm = await openSwarm()
    await swarm.carryOut('echo one; echo two >&2; echo three')
    expect(outputOf(swarm, 'implementer-1')).toBe('one\ntwo\nthree\n')
  })

  it('has an empty standard input', async () => {
    const swarm = await openSwarm()
    expect((await swarm.carryOut('read x; echo "got $?"')).status).toBe('completed')
    expect(outputOf(swarm, 'implementer-1')).toBe('got 1\n')
  })

  it('starts its task together with its process, in the worktree of the task', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    const { id } = await swarm.task({ command: 'pwd; sleep 60', targetWorktree: 'auth' })
    const run = await swarm.begin()
    expect((await swarm.show(id)).status).toBe('in_progress')
    await until('its output', () => outputOf(swarm, run.agentId) === `${folder}\n`)
    expect((await swarm.agent(run.agentId)).processId).toBe(run.identity!.pid)
  })
})

describe('a prompt', () => {
  const title = 'Say "$(hi)" {taskId}\n- naïve 😀 \\'

  it.each([
    ['as an argument', kind('printf %s "$1"')],
    ['on standard input', kind('cat', ', prompt: stdin')],
    ['in a file', 'agents:\n  default: mine\n  kinds:\n    mine: {command: [cat, "{promptFile}"], prompt: file}\n'],
  ])('reaches the agent byte for byte %s', async (_, config) => {
    const swarm = await openSwarm({ config })
    await swarm.task({ title, description: 'first\n\n  second\n' })
    const run = await swarm.begin()
    await swarm.ended(run)
    expect(outputOf(swarm, run.agentId)).toContain(`${title}\nfirst\n\n  second\n`)
    await settle(swarm.world, run, 'ended')
  })
})

describe('several launchers at once', () => {
  it('start one process, and all record it', async () => {
    const swarm = await openSwarm()
    const worlds = [swarm.world, await swarm.open(), await swarm.open(), await swarm.open()]
    const { id } = await swarm.task({ command: 'echo started; sleep 60' })
    const wanted = await swarm.run(await swarm.dispatched())
    await Promise.all(worlds.map((world) => launch(world, wanted)))
    const run = await swarm.run(wanted.agentId)
    expect(run.process).toBe('started')
    expect(livenessOf(run.identity!)).toBe('alive')
    await until('its output', () => outputOf(swarm, run.agentId) !== '')
    expect(outputOf(swarm, run.agentId)).toBe('started\n')
    expect(await swarm.show(id)).toMatchObject({ status: 'in_progress', attempt: 1 })
  })

  it('find the process after a crash instead of starting another', async () => {
    const swarm = await openSwarm()
    await swarm.task({ command: 'echo started; sleep 60' })
    const wanted = await swarm.run(await swarm.dispatched())
    await launch(swarm.world, wanted)
    const first = await swarm.run(wanted.agentId)
    connectionOf(swarm.core.store).exec(forgotten)
    await launch(await swarm.open(), wanted)
    expect((await swarm.run(wanted.agentId)).identity).toEqual(first.identity)
    await until('its output', () => outputOf(swarm, wanted.agentId) !== '')
    expect(outputOf(swarm, wanted.agentId)).toBe('started\n')
  })

  it('settle a process that had ended before it was recorded by its exit file', async () => {
    const swarm = await openSwarm()
    const { id } = await swarm.task({ command: 'echo quick; exit 3' })
    const wanted = await swarm.run(await swarm.dispatched())
    await launch(swarm.world, wanted)
    await swarm.ended(wanted)
    connectionOf(swarm.core.store).exec(forgotten)
    await launch(swarm.world, wanted)
    await swarm.turn()
    expect(await swarm.show(id)).toMatchObject({
      status: 'pending',
      errorMessage: 'implementer-1 ended with exit code 3: quick',
    })
  })
})

describe('a launch that fails uses no retry:', () => {
  it('a missing program', async () => {
    const swarm = await openSwarm({
      config: 'agents:\n  default: mine\n  kinds:\n    mine: {command: [./no-such-agent]}\n',
    })
    const { id } = await swarm.task({})
    const agentId = await swarm.dispatched()
    await launch(swarm.world, await swarm.run(agentId))
    const reason =
      "The program './no-such-agent' of the agent kind 'mine' was not found; install it or change its command in .aiswarm/config.yaml."
    expect(await swarm.show(id)).toMatchObject({
      status: 'pending',
      retryCount: 0,
      assignedAgentId: null,
      errorMessage: reason,
      attempts: [{ outcome: 'not_started', error: reason }],
    })
    expect(await swarm.agent(agentId)).toMatchObject({ status: 'terminated', launchError: reason })
  })

  it('a prompt that is too long for a command line', async () => {
    const swarm = await openSwarm({ config: kind('true') })
    const { id } = await swarm.task({ description: 'x'.repeat(199_000) })
    await launch(swarm.world, await swarm.run(await swarm.dispatched()))
    expect(await swarm.show(id)).toMatchObject({
      status: 'pending',
      retryCount: 0,
      errorMessage: 'The prompt is too long for a command line; configure the kind to take it on stdin or as a file.',
    })
  })

  it('a worktree whose folder was deleted by hand', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    const { id } = await swarm.task({ command: 'true', targetWorktree: 'auth' })
    rmSync(folder, { recursive: true })
    await launch(swarm.world, await swarm.run(await swarm.dispatched()))
    const task = await swarm.show(id)
    expect(task).toMatchObject({ status: 'pending', retryCount: 0 })
    expect(task.errorMessage).toContain(folder)
  })
})

it('a process that has started and cannot be recorded is ended before its task is given to another agent', async () => {
  const swarm = await openSwarm({ config: 'lease: {terminateGrace: 300ms}\n' })
  const { id } = await swarm.task({ command: 'sleep 60' })
  const run = await swarm.run(await swarm.dispatched())
  const { store } = swarm.core
  const left = (): readonly number[] => processesMarked({ AISWARM_ROOT: swarm.root })
  let seen: readonly number[] = []
  const refusing = {
    ...store,
    version: () => store.version(),
    read: store.read,
    write: (...of: Parameters<typeof store.write>) => {
      if (seen.length > 0 || readPid(runPath(swarm.root, run.agentId, 1, 'pid')) === undefined)
        return store.write(...of)
      seen = left()
      return Promise.reject(new Refusal('not_found', 'There is no such agent.'))
    },
  } as typeof store
  await launch({ ...swarm.world, core: { ...swarm.core, store: refusing } }, run)
  expect(seen.length).toBeGreaterThan(0)
  expect(left()).toEqual([])
  expect(await swarm.show(id)).toMatchObject({ status: 'pending', attempts: [{ outcome: 'not_started' }] })
})

describe('the end of a process', () => {
  it.each([[0], [3], [64]])('with exit code %i is recorded even while no supervisor runs', async (code) => {
    const swarm = await openSwarm()
    await swarm.task({ command: `exit ${code}` })
    const run = await swarm.begin()
    await swarm.ended(run)
    expect(read(runPath(swarm.root, run.agentId, run.run, 'exit'))).toMatch(new RegExp(`^${code} [0-9a-f]{64}\\n$`))
  })

  it('by a signal is recorded in the convention of a shell', async () => {
    const swarm = await openSwarm()
    await swarm.task({ command: 'kill -9 $$' })
    const run = await swarm.begin()
    await swarm.ended(run)
    expect(read(runPath(swarm.root, run.agentId, run.run, 'exit'))).toMatch(/^137 [0-9a-f]{64}\n$/)
  })
})

describe('the environment of an agent', () => {
  const stub = (values: Record<string, string>): void => {
    for (const [name, value] of Object.entries(values)) vi.stubEnv(name, value)
    onTestFinished(() => void vi.unstubAllEnvs())
  }

  const environmentOf = async (swarm: Swarm, agentId: string): Promise<Record<string, string>> =>
    Object.fromEntries(
      (await until('its environment', () => outputOf(swarm, agentId).includes('\nDONE\n') && outputOf(swarm, agentId)))
        .split('\n')
        .filter((line) => line.includes('='))
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    )

  it('has what programs need and who the agent is, and nothing that misleads its git', async () => {
    const other = repository()
    stub({
      GIT_DIR: join(other, '.git'),
      GIT_WORK_TREE: other,
      GIT_INDEX_FILE: join(other, 'x'),
      GIT_OBJECT_DIRECTORY: other,
      AISWARM_AGENT_ID: 'another',
      AISWARM_SECRET: 'x',
      npm_config_x: 'y',
    })
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    await swarm.task({
      command: 'env; git rev-parse --show-toplevel | sed s/^/TOP=/; echo DONE',
      targetWorktree: 'auth',
    })
    const run = await swarm.begin()
    const environment = await environmentOf(swarm, run.agentId)
    expect(environment).toMatchObject({
      AISWARM_AGENT_ID: 'implementer-1',
      AISWARM_RUN: '1',
      AISWARM_ROOT: swarm.root,
      AISWARM_TASK_ID: '1',
      AISWARM_WORKTREE: 'auth',
      TOP: folder,
    })
    expect(environment['AISWARM_AGENT_TOKEN']).toBe(swarm.core.launchToken('implementer-1', 1))
    expect(
      Object.keys(environment).filter((name) =>
        /^(GIT_DIR|GIT_WORK_TREE|GIT_INDEX_FILE|GIT_OBJECT_DIRECTORY|AISWARM_SECRET|npm_config_x)$/.test(name),
      ),
    ).toEqual([])
  })

  it('has the variables of the kind and the spawn, but never another identity', async () => {
    const swarm = await openSwarm({
      config: kind('env; echo DONE', ', env: {A: of-kind, AISWARM_AGENT_ID: planner-1}'),
    })
    const { id } = await swarm.task({})
    const agent = await perform(
      swarm.core,
      spawnAgent,
      { personaId: 'implementer', taskId: id, environment: { B: 'of-spawn' } },
      person,
    )
    await swarm.launched(agent.id)
    expect(await environmentOf(swarm, agent.id)).toMatchObject({
      A: 'of-kind',
      B: 'of-spawn',
      AISWARM_AGENT_ID: agent.id,
    })
  })

  it('lets it report with the commands of its prompt from a login shell', async () => {
    // The shell runs the line of the prompt that completes the task, with PATH as a login shell sets it.
    const script =
      'line=$(printf "%s" "$1" | grep " task complete " | cut -c 3-); exec env PATH=/usr/bin:/bin sh -c "$line"'
    const swarm = await openSwarm({
      config: `agents: {default: mine, kinds: {mine: {command: [sh, -c, ${JSON.stringify(script)}, mine, "{prompt}"]}}}\n`,
    })
    const { id } = await swarm.task({})
    const run = await swarm.begin()
    await swarm.ended(run)
    expect(await swarm.show(id), outputOf(swarm, run.agentId)).toMatchObject({
      status: 'completed',
      resultData: { summary: '…' },
    })
  })

  it('lets it call aiswarm in its own name', async () => {
    const script =
      'aiswarm task progress $AISWARM_TASK_ID --agent $AISWARM_AGENT_ID --note working --percent 50 && aiswarm agent heartbeat another; aiswarm task complete $AISWARM_TASK_ID --agent $AISWARM_AGENT_ID --result \'{"by":"me"}\'; aiswarm task add more --persona tester'
    const swarm = await openSwarm({ config: kind(script) })
    const { id } = await swarm.task({})
    const run = await swarm.begin()
    await swarm.ended(run)
    expect(await swarm.show(id)).toMatchObject({ status: 'completed', resultData: { by: 'me' } })
    expect(outputOf(swarm, run.agentId)).toContain(
      'This connection belongs to agent implementer-1 and cannot act as another.',
    )
    // The token ends with the attempt: a later report of the agent is ignored.
    expect(outputOf(swarm, run.agentId)).toContain(
      'The token of agent implementer-1 is not valid, or its run has ended.',
    )
    await settle(swarm.world, run, 'ended')
    expect((await swarm.show(id)).status).toBe('completed')
  })
})

it('a dry run shows what it would start, without secrets and without starting it', async () => {
  const swarm = await openSwarm({ config: kind('true', ', env: {API_KEY: sesame}') })
  await swarm.task({ title: 'Log in' })
  const { argv, cwd, environment } = await dryRun(swarm.world, {
    personaId: 'implementer',
    kind: null,
    worktree: null,
    taskId: null,
  })
  expect(argv.slice(0, 3)).toEqual(['/bin/sh', '-c', 'true'])
  expect(argv[4]).toContain('Log in')
  expect(cwd).toBe(swarm.root)
  expect(environment).toMatchObject({ AISWARM_TASK_ID: '1', API_KEY: '••••••', AISWARM_AGENT_TOKEN: '••••••' })
  expect(readdirSync(swarm.path('.aiswarm/logs'))).toEqual(['git.jsonl'])
  expect(await swarm.runs()).toEqual([])
})

const lend = (home: string, lent: string): void =>
  makeAgentHome(
    {
      path: lent,
      folder: '.gemini',
      file: 'settings.json',
      content: { mcpServers: { aiswarm: { command: 'aiswarm' } }, telemetry: { enabled: false } },
    },
    home,
  )

const settings = (folder: string): unknown => JSON.parse(readFileSync(join(folder, '.gemini', 'settings.json'), 'utf8'))

it("a lent home is the person's own, with aiswarm's settings merged over theirs", () => {
  const [home, lent] = [temporaryFolder(), temporaryFolder()]
  const own =
    '{\n  // mine\n  "mcpServers": {"other": {"command": "x"}},\n  "telemetry": {"enabled": true, "target": "local"},\n}\n'
  write(home, {
    '.gemini/settings.json': own,
    '.gemini/oauth_creds.json': 'login',
    '.gemini/tmp/chats/1.json': 'a session',
  })
  lend(home, lent)
  expect(settings(lent)).toEqual({
    mcpServers: { other: { command: 'x' }, aiswarm: { command: 'aiswarm' } },
    telemetry: { enabled: false, target: 'local' },
  })
  expect(readFileSync(join(lent, '.gemini/oauth_creds.json'), 'utf8')).toBe('login')
  expect(readFileSync(join(lent, '.gemini/tmp/chats/1.json'), 'utf8')).toBe('a session')
  expect(readFileSync(join(home, '.gemini/settings.json'), 'utf8')).toBe(own)
  expect(lstatSync(join(lent, '.gemini/settings.json')).mode & 0o777).toBe(0o600)
})

it('a home without settings is lent as well, and files that are written there are found again', () => {
  const [home, lent, later] = [temporaryFolder(), temporaryFolder(), temporaryFolder()]
  lend(home, lent)
  write(lent, { '.gemini/tmp/chats/1.json': 'a session' })
  lend(home, later)
  expect(existsSync(join(later, '.gemini/tmp/chats/1.json'))).toBe(true)
})

it('settings that cannot be read are refused, with their path', async () => {
  const [home, lent] = [temporaryFolder(), temporaryFolder()]
  write(home, { '.gemini/settings.json': '{half' })
  expect(await refused(Promise.resolve().then(() => lend(home, lent)))).toBe('config_invalid')
})
