import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { outputPath, runPath } from '../../../src/effects/files/paths.ts'
import { identify, livenessOf } from '../../../src/effects/processes/identity.ts'
import { endGroup } from '../../../src/effects/processes/signals.ts'
import { processesMarked } from '../../../src/effects/processes/table.ts'
import { sealOf } from '../../../src/effects/runs/identity.ts'
import { launch } from '../../../src/effects/runs/launcher.ts'
import { inspect, SECOND_LOOK, settle, stop } from '../../../src/effects/runs/termination.ts'
import { terminateAgent } from '../../../src/operations/agents/spawn.ts'
import { act, perform } from '../../../src/operations/perform/perform.ts'
import { needs } from '../../support/needs.ts'
import { connectionOf } from '../../support/store.ts'
import { commit, git, openSwarm, read, type Swarm, until, write } from '../swarm.ts'

describe('a command that succeeds', () => {
  it('has its changes committed under the title of its task', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    const task = await swarm.carryOut('echo jwt > auth.txt; rm README.md', {
      title: 'Add the login "form"',
      targetWorktree: 'auth',
    })
    expect(task).toMatchObject({
      status: 'completed',
      progressPercent: 100,
      resultData: { exitCode: 0, commits: [git(folder, 'rev-parse', 'HEAD')] },
    })
    expect(git(folder, 'log', '-1', '--format=%s')).toBe('Add the login "form"')
    expect(git(folder, 'log', '-1', '--format=%b')).toBe('Task 1, attempt 1, by implementer-1 (implementer).')
    expect(git(folder, 'show', '--name-status', '--format=', 'HEAD')).toBe('D\tREADME.md\nA\tauth.txt')
    expect(git(folder, 'status', '--porcelain')).toBe('')
  })

  it('has its own commits listed too, oldest first', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    commit(folder, { before: 'x' })
    const task = await swarm.carryOut("echo a > a; git add a; git commit -qm 'A of its own'; echo b > b", {
      title: 'The rest',
      targetWorktree: 'auth',
    })
    expect((task.resultData as { commits: string[] }).commits).toEqual(
      git(folder, 'rev-list', '--reverse', 'HEAD~2..HEAD').split('\n'),
    )
    expect(git(folder, 'log', '-2', '--format=%s')).toBe('The rest\nA of its own')
  })

  it('that changed nothing makes no commit', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    const before = git(folder, 'rev-parse', 'HEAD')
    const task = await swarm.carryOut('true', { targetWorktree: 'auth' })
    expect(task).toMatchObject({ status: 'completed', resultData: { exitCode: 0, commits: [] } })
    expect(git(folder, 'rev-parse', 'HEAD')).toBe(before)
  })

  it('in the main checkout has nothing committed', async () => {
    const swarm = await openSwarm()
    const before = git(swarm.root, 'rev-parse', 'HEAD')
    const task = await swarm.carryOut('echo x > made.txt')
    expect(task).toMatchObject({ status: 'completed', resultData: { exitCode: 0, commits: [] } })
    expect(git(swarm.root, 'rev-parse', 'HEAD')).toBe(before)
    expect(read(swarm.root, 'made.txt')).toBe('x\n')
  })

  it('is committed once, even if its settlement was interrupted and starts again', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    const { id } = await swarm.task({ command: 'echo x > made.txt', targetWorktree: 'auth' })
    const run = await swarm.begin()
    await swarm.ended(run)
    git(folder, 'add', '--all')
    git(folder, 'commit', '--quiet', '--message', 'a task')
    await settle(swarm.world, run, 'ended')
    await settle(swarm.world, run, 'ended')
    expect(await swarm.show(id)).toMatchObject({
      status: 'completed',
      resultData: { commits: [git(folder, 'rev-parse', 'HEAD')] },
      attempts: [{ outcome: 'completed' }],
    })
    expect(git(folder, 'rev-list', '--count', 'HEAD')).toBe('2')
  })

  it('and whose work cannot be committed has failed, with the reason', async () => {
    const swarm = await openSwarm()
    await swarm.build('auth')
    const task = await swarm.carryOut('echo x > made.txt; touch "$(git rev-parse --git-dir)/index.lock"', {
      targetWorktree: 'auth',
    })
    expect(task.status).toBe('pending')
    expect(task.errorMessage).toMatch(
      /^The command succeeded, but its work could not be committed: .*index\.lock exists, so another git process is running or was killed/,
    )
  })

  it('leaves no process', async () => {
    const swarm = await openSwarm()
    await swarm.carryOut('setsid sleep 60 & sleep 60 & true')
    await until('the end of all', () => processesMarked({ AISWARM_ROOT: swarm.root }).length === 0)
  })
})

describe('a command that fails', () => {
  it('has its last line of output as the reason, and its changes stay uncommitted', async () => {
    const swarm = await openSwarm()
    const folder = await swarm.build('auth')
    const task = await swarm.carryOut('echo half > half.txt; echo fine; echo "2 tests failed" >&2; echo; exit 3', {
      targetWorktree: 'auth',
    })
    expect(task).toMatchObject({
      status: 'pending',
      retryCount: 1,
      errorMessage: 'implementer-1 ended with exit code 3: 2 tests failed',
    })
    expect(git(folder, 'status', '--porcelain')).toBe('?? half.txt')
  })

  it('without output has only its exit code as the reason', async () => {
    const swarm = await openSwarm({ config: 'session: {maxRetries: 0}\n' })
    expect(await swarm.carryOut('exit 5')).toMatchObject({
      status: 'failed',
      errorMessage: 'implementer-1 ended with exit code 5',
    })
  })
})

describe('an agent that must report its own result', () => {
  const config = (script: string) =>
    `agents:\n  default: mine\n  kinds:\n    mine: {command: [/bin/sh, -c, ${JSON.stringify(script)}]}\n`

  it('and ends well without a report has failed its task', async () => {
    const swarm = await openSwarm({ config: config('echo "I am done"; echo x > left.txt') })
    const folder = await swarm.build('auth')
    const { id } = await swarm.task({ targetWorktree: 'auth' })
    const run = await swarm.begin()
    expect((await swarm.show(id)).status).toBe('claimed')
    await swarm.ended(run)
    await settle(swarm.world, run, 'ended')
    expect(await swarm.show(id)).toMatchObject({
      status: 'pending',
      retryCount: 1,
      errorMessage: 'no-artifact: implementer-1 ended with exit code 0 without completing its task: I am done',
    })
    expect(existsSync(join(folder, 'left.txt'))).toBe(true)
  })
})

describe('a process that vanished', () => {
  const vanished = async () => {
    const swarm = await openSwarm()
    const { id } = await swarm.task({ command: 'sleep 60' })
    const run = await swarm.begin()
    process.kill(-run.identity!.pid, 'SIGKILL')
    await until('its death', () => livenessOf(run.identity!) === 'dead')
    return { swarm, id, run }
  }

  it('is recorded as lost only after a second look', async () => {
    const { swarm, run } = await vanished()
    const seen = new Map<string, number>()
    expect(inspect(swarm.core, run, seen, 1_000_000)).toBe('unknown')
    expect(inspect(swarm.core, run, seen, 1_000_000 + SECOND_LOOK - 1)).toBe('unknown')
    expect(inspect(swarm.core, run, seen, 1_000_000 + SECOND_LOOK)).toBe('vanished')
  })

  it('releases its task without using a retry', async () => {
    const { swarm, id, run } = await vanished()
    await settle(swarm.world, run, 'vanished')
    expect(await swarm.show(id)).toMatchObject({
      status: 'pending',
      retryCount: 0,
      notBefore: null,
      attempts: [{ outcome: 'lost', error: 'The process of implementer-1 vanished without an exit record.' }],
    })
    expect(await swarm.agent(run.agentId)).toMatchObject({ status: 'terminated', exitCode: null })
  })

  it('has ended normally if its exit record appears between the looks', async () => {
    const { swarm, run } = await vanished()
    const seen = new Map<string, number>()
    inspect(swarm.core, run, seen, 0)
    write(swarm.root, { [`.aiswarm/run/${run.agentId}.1.exit`]: `0 ${sealOf(swarm.core, run)}\n` })
    expect(inspect(swarm.core, run, seen, SECOND_LOOK)).toBe('ended')
  })

  it('is counted from zero if it was seen alive in between', async () => {
    const swarm = await openSwarm()
    await swarm.task({ command: 'sleep 60' })
    const run = await swarm.begin()
    const seen = new Map([[`${run.agentId}.1`, 0]])
    expect(inspect(swarm.core, run, seen, 10_000)).toBe('alive')
    expect(seen.size).toBe(0)
  })
})

describe('an exit record that the agent writes itself', () => {
  it('is ignored while the agent works and when it ended otherwise', async () => {
    const swarm = await openSwarm()
    const record = '"$AISWARM_ROOT/.aiswarm/run/$AISWARM_AGENT_ID.$AISWARM_RUN.exit"'
    const { id } = await swarm.task({
      command: `echo 0 > ${record}; touch written; until [ -e done ]; do sleep 0.02; done; exit 1`,
    })
    const run = await swarm.begin()
    await until('its record', () => existsSync(swarm.path('written')))
    expect(inspect(swarm.core, run, new Map(), 0)).toBe('alive')
    write(swarm.root, { done: '' })
    await until('the end', () => inspect(swarm.core, run, new Map(), 0) === 'ended')
    await settle(swarm.world, run, 'ended')
    expect((await swarm.show(id)).attempts).toMatchObject([{ outcome: 'failed' }])
  })

  it('is refused with the seal of another run, and accepted with its own only when its shim is gone', async () => {
    const swarm = await openSwarm()
    await swarm.task({ command: 'sleep 60' })
    const run = await swarm.begin()
    const says = (text: string): void => write(swarm.root, { [`.aiswarm/run/${run.agentId}.1.exit`]: text })
    says(`0 ${sealOf(swarm.core, run)}\n`)
    expect(inspect(swarm.core, run, new Map(), 0)).toBe('alive')
    const gone = { ...run, identity: { ...run.identity!, startedAt: 'another' } }
    expect(inspect(swarm.core, gone, new Map(), 0)).toBe('ended')
    says(`0 ${sealOf(swarm.core, { ...run, run: 2 })}\n`)
    expect(inspect(swarm.core, gone, new Map(), 0)).toBe('unknown')
    says('0\n')
    expect(inspect(swarm.core, gone, new Map(), 0)).toBe('unknown')
  })
})

it('an unreadable exit record counts as missing', async () => {
  const swarm = await openSwarm()
  const { id } = await swarm.task({ command: 'true' })
  const run = await swarm.begin()
  await swarm.ended(run)
  rmSync(runPath(swarm.root, run.agentId, 1, 'exit'))
  write(swarm.root, { [`.aiswarm/run/${run.agentId}.1.exit`]: 'garbage\n' })
  await settle(swarm.world, run, 'ended')
  expect(await swarm.show(id)).toMatchObject({ status: 'pending', retryCount: 0, attempts: [{ outcome: 'lost' }] })
})

const config = 'lease:\n  terminateGrace: 300ms\n'

/** Starts a command and waits for its first line; returns its run and that line. */
const started = async (swarm: Swarm, command: string) => {
  const { id } = await swarm.task({ command })
  const run = await swarm.begin()
  const line = await until(
    'its first line',
    () => readFileSync(outputPath(swarm.root, run.agentId), 'utf8').split('\n').slice(0, -1)[0],
  )
  return { id, run, line }
}

const terminate = (swarm: Swarm, agentId: string) =>
  act(swarm.connection, terminateAgent, { agentId, reason: 'enough' })

const left = (swarm: Swarm): readonly number[] => processesMarked({ AISWARM_ROOT: swarm.root })

describe('an agent that is stopped', () => {
  it('receives TERM and may end in order, and its task is released', async () => {
    const swarm = await openSwarm()
    const { id, run } = await started(swarm, "trap 'echo bye; exit 7' TERM; echo ready; sleep 60 & wait")
    expect(await terminate(swarm, run.agentId)).toMatchObject({
      status: 'terminated',
      exitCode: 7,
      stopReason: 'enough',
    })
    expect(readFileSync(outputPath(swarm.root, run.agentId), 'utf8')).toBe('ready\nbye\n')
    expect(await swarm.show(id)).toMatchObject({
      status: 'pending',
      retryCount: 0,
      attempts: [{ outcome: 'terminated' }],
    })
    expect(left(swarm)).toEqual([])
  })

  it('is killed with all its children if it ignores TERM', async () => {
    const swarm = await openSwarm({ config })
    const { run } = await started(swarm, "trap '' TERM; sleep 60 & echo ready; while :; do sleep 60; done")
    expect(left(swarm).length).toBeGreaterThan(2)
    expect(await terminate(swarm, run.agentId)).toMatchObject({ status: 'terminated', exitCode: null })
    expect(livenessOf(run.identity!)).toBe('dead')
    await until('the end of all', () => left(swarm).length === 0)
  })

  it('loses also a descendant that left its session', async () => {
    const swarm = await openSwarm({ config })
    const { run, line } = await started(swarm, `setsid sh -c 'trap "" TERM HUP; echo $$; while :; do sleep 60; done'`)
    const escaped = identify(Number(line))!
    await terminate(swarm, run.agentId)
    await until('its end', () => livenessOf(escaped) === 'dead')
    await until('the end of all', () => left(swarm).length === 0)
  })

  it("does not cause the end of another agent's process, or of one with a reused process id", async () => {
    const swarm = await openSwarm({ config })
    const one = await started(swarm, 'echo ready; sleep 60')
    await swarm.build('auth')
    await swarm.task({ command: 'echo ready; sleep 60', targetWorktree: 'auth' })
    const other = await swarm.begin()
    await terminate(swarm, one.run.agentId)
    expect(livenessOf(other.identity!)).toBe('alive')
    expect(await endGroup({ ...other.identity!, startedAt: '1' }, 0)).toBe(true)
    expect(livenessOf(other.identity!)).toBe('alive')
  })
})

describe('a requested run', () => {
  it('that never started can be stopped, and then never starts', async () => {
    const swarm = await openSwarm()
    const { id } = await swarm.task({ command: 'echo started' })
    const wanted = await swarm.run(await swarm.dispatched())
    expect(await terminate(swarm, wanted.agentId)).toMatchObject({ status: 'terminated' })
    await launch(swarm.world, wanted)
    expect(
      existsSync(outputPath(swarm.root, wanted.agentId))
        ? readFileSync(outputPath(swarm.root, wanted.agentId), 'utf8')
        : '',
    ).toBe('')
    expect(await swarm.show(id)).toMatchObject({ status: 'pending', retryCount: 0 })
    expect(left(swarm)).toEqual([])
  })

  it('that was cancelled by a crashed process is stopped by the next one', async () => {
    const swarm = await openSwarm()
    await swarm.task({ command: 'echo started' })
    const wanted = await swarm.run(await swarm.dispatched())
    await perform(swarm.core, terminateAgent, { agentId: wanted.agentId }, person)
    expect(await stop(swarm.world, wanted)).toBe(true)
    connectionOf(swarm.core.store).exec(
      "UPDATE agents SET status = 'idle', process = 'wanted', ended_at = NULL WHERE kind = 'command'",
    )
    expect(await stop(swarm.world, await swarm.run(wanted.agentId))).toBe(true)
    expect(await swarm.agent(wanted.agentId)).toMatchObject({ status: 'terminated' })
  })

  it('that runs without being recorded is found and ended', async () => {
    const swarm = await openSwarm({ config })
    const { run } = await started(swarm, 'echo ready; sleep 60')
    connectionOf(swarm.core.store).exec(
      "UPDATE agents SET process = 'wanted', process_id = NULL, process_started_at = NULL, boot_id = NULL WHERE kind = 'command'",
    )
    await terminate(swarm, run.agentId)
    expect(livenessOf(run.identity!)).toBe('dead')
  })

  // The machine was restarted before the run was recorded, and its process id was reused.
  it('whose process id was reused never affects the other process', async (context) => {
    needs(context, process.platform === 'linux', 'only Linux tells the environment of a process')
    const swarm = await openSwarm({ config })
    const other = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
    onTestFinished(() => void other.kill('SIGKILL'))
    const before = async (status: 'wanted' | 'started') => {
      const { run } = await started(swarm, 'echo ready; sleep 60')
      await endGroup(run.identity!, 0)
      connectionOf(swarm.core.store).exec(
        `UPDATE agents SET process = 'wanted', process_id = NULL, process_started_at = NULL, boot_id = NULL WHERE id = '${run.agentId}'`,
      )
      writeFileSync(runPath(swarm.root, run.agentId, run.run, 'pid'), `${other.pid}\n`)
      if (status === 'started') await launch(swarm.world, await swarm.run(run.agentId))
      return run.agentId
    }
    for (const status of ['wanted', 'started'] as const) {
      const agentId = await before(status)
      if (status === 'started') expect(livenessOf((await swarm.run(agentId)).identity!)).toBe('dead')
      await terminate(swarm, agentId)
      expect(identify(other.pid!)).toBeDefined()
    }
    expect(other.exitCode ?? other.signalCode).toBe(null)
  })
})
