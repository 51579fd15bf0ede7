import { spawn } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { agentLine } from '../../../src/cli/print/agents.ts'
import { renewLiving } from '../../../src/effects/loops/supervisor.ts'
import { wishesOf } from '../../../src/effects/wishes.ts'
import { settle, stop } from '../../../src/effects/runs/termination.ts'
import { getTaskLogs } from '../../../src/operations/tasks/detail.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { terminateAgent } from '../../../src/operations/agents/spawn.ts'
import { openSwarm, read, type Swarm, until } from '../swarm.ts'

/** A shell that leaves its session and its environment, and writes its process id; it ends with the test. */
const escapes = (then = '') =>
  `setsid env -i PATH="$PATH" sh -c '${then}echo $$ > "'"$AISWARM_ROOT"'/escaped"; exec sleep 600' > /dev/null 2>&1 &`

const escaped = async (swarm: Swarm): Promise<number> => {
  const pid = await until(
    'the one that left',
    () => existsSync(swarm.path('escaped')) && Number(read(swarm.root, 'escaped')),
  )
  rmSync(swarm.path('escaped'))
  onTestFinished(() => {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  })
  return pid
}

const runs = (pid: number): boolean => existsSync(`/proc/${pid}`)

describe('a process that outlives its run is named and not ended', () => {
  it('if it works in the worktree of the run', async () => {
    const swarm = await openSwarm()
    await swarm.build('auth')
    // A process that existed before belongs to a person.
    const mine = spawn('sleep', ['600'], { cwd: (await swarm.worktree('auth')).path, detached: true, stdio: 'ignore' })
    onTestFinished(() => void mine.kill('SIGKILL'))
    await swarm.task({ command: escapes(), targetWorktree: 'auth' })
    const run = await swarm.begin()
    await swarm.ended(run)
    const pid = await escaped(swarm)
    await settle(swarm.world, run, 'ended')
    const agent = await swarm.agent(run.agentId)
    expect(agent).toMatchObject({ status: 'terminated', left: [{ pid, name: 'sleep' }] })
    expect(agentLine(agent)).toContain(`is ended, 1 process is still running: ${pid} sleep`)
    expect((await perform(swarm.core, getTaskLogs, { taskId: 1 }, person)).map(({ message }) => message)).toContain(
      `The run of ${run.agentId} has ended, but 1 process is still running: ${pid} sleep`,
    )
    expect(runs(pid)).toBe(true)
  })

  it('if it works elsewhere and was seen below the agent, which was then terminated', async () => {
    const swarm = await openSwarm()
    await swarm.build('auth')
    // It leaves its parent only later.
    await swarm.task({
      command: `setsid -w env -i PATH="$PATH" sh -c 'cd /; echo $$ > "'"$AISWARM_ROOT"'/escaped"; exec sleep 600'`,
      targetWorktree: 'auth',
    })
    const run = await swarm.begin()
    const pid = await escaped(swarm)
    await renewLiving(swarm.world, await wishesOf(swarm.world), new Map(), Date.now())
    await perform(swarm.core, terminateAgent, { agentId: run.agentId }, person)
    expect(await stop(swarm.world, await swarm.run(run.agentId))).toBe(true)
    expect(await swarm.agent(run.agentId)).toMatchObject({ status: 'terminated', left: [{ pid, name: 'sleep' }] })
    expect(runs(pid)).toBe(true)
  })

  it('and nothing is named if nothing is left', async () => {
    const swarm = await openSwarm()
    await swarm.build('auth')
    await swarm.carryOut('sleep 60 > /dev/null 2>&1 & true', { targetWorktree: 'auth' })
    expect(await swarm.agent('implementer-1')).toMatchObject({ status: 'terminated', left: [] })
  })
})
