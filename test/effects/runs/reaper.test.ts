import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runPath } from '../../../src/effects/files/paths.ts'
import { livenessOf } from '../../../src/effects/processes/identity.ts'
import { processesMarked } from '../../../src/effects/processes/table.ts'
import { sealOf } from '../../../src/effects/runs/identity.ts'
import { inspect, SECOND_LOOK, settle } from '../../../src/effects/runs/termination.ts'
import { commit, git, openSwarm, read, until, write } from '../swarm.ts'

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
