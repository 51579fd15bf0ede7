import { chmodSync } from 'node:fs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { person } from '../../../src/domain/agent/actor.ts'
import { missingPrograms } from '../../../src/effects/processes/programs.ts'
import { startSupervisor } from '../../../src/effects/loops/supervisor.ts'
import { agentKinds } from '../../../src/agents/kinds.ts'
import { defaultSettings } from '../../../src/domain/settings/settings.ts'
import { act, perform } from '../../../src/operations/perform/perform.ts'
import { readBoard } from '../../../src/operations/screens/board.ts'
import { requestChanges } from '../../../src/operations/integration/review.ts'
import { startSession } from '../../../src/operations/sessions/start.ts'
import { temporaryFolder } from '../../support/core.ts'
import { openSwarm, type Swarm, write } from '../swarm.ts'

const config = 'agents: {default: mine, kinds: {mine: {command: [no-such-agent]}}}\n'
const why =
  "the program 'no-such-agent' of the agent kind 'mine' was not found; install it, or change agents.kinds.mine.command in .aiswarm/config.yaml"
const items = async ({ core }: Swarm) => (await perform(core, readBoard, {}, person)).attention

describe('a task whose program is not installed', () => {
  it('is in the inbox with its reason and the command that helps, and is not retried', async () => {
    const swarm = await openSwarm({ config })
    const { id } = await swarm.task({})
    expect(await items(swarm)).toMatchObject([
      {
        kind: 'unstartable',
        taskId: id,
        text: `task ${id} cannot start: ${why}`,
        command: `aiswarm doctor (or task cancel ${id})`,
      },
    ])
    const supervisor = startSupervisor(swarm.world, { maxParallel: 2 })
    onTestFinished(() => supervisor.stop())
    const rest = await supervisor.untilIdle()
    expect(rest.waiting).toEqual([{ taskId: id, why }])
    expect((await swarm.show(id)).attempts).toEqual([])
    expect((await items(swarm)).map(({ kind }) => kind)).toEqual(['unstartable'])
  })

  it('is reported at once when a goal is given and when comments are sent', async () => {
    const swarm = await openSwarm({ config })
    expect((await act(swarm.connection, startSession, { goal: 'A shop' })).held).toBe(why)
    await swarm.build('auth')
    expect(
      (await act(swarm.connection, requestChanges, { worktreeName: 'auth', comments: [{ text: 'Why?' }] })).held,
    ).toBe(why)
  })

  it('of a known CLI has a message with the package', async () => {
    const swarm = await openSwarm({ config: 'agents: {default: claude}\n' })
    vi.stubEnv('PATH', '/nonexistent')
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(swarm.core.missingProgram!('codex')).toBe(
      "the program 'codex' of the agent kind 'codex' is not installed; 'npm install --global @openai/codex' installs it",
    )
  })
})

describe('the check for installed programs', () => {
  const settings = { ...defaultSettings, agents: { ...defaultSettings.agents, kinds: {} } }
  const kind = (command: string) => ({ command: [command], prompt: 'argv' as const, files: false, env: {} })

  it('is cached for 10 s, and then finds a newly installed program', async () => {
    const root = temporaryFolder()
    let now = 0
    const own = {
      ...settings,
      agents: { ...settings.agents, kinds: { mine: { ...kind('agent-of-mine'), env: { PATH: root } } } },
    }
    const missing = missingPrograms(root, own, agentKinds(own), () => now)
    expect(missing('mine')).toContain("'agent-of-mine' of the agent kind 'mine' was not found")
    write(root, { 'agent-of-mine': '#!/bin/sh\n' })
    chmodSync(`${root}/agent-of-mine`, 0o755)
    now = 9999
    expect(missing('mine')).toBeDefined()
    now = 10_000
    expect(missing('mine')).toBeUndefined()
  })

  it.each(['./agent.sh', 'tools/agent', '{program}', 'aiswarm-nothing/x'])(
    'ignores %s, which depends on the worktree',
    (command) => {
      const own = { ...settings, agents: { ...settings.agents, kinds: { mine: kind(command) } } }
      expect(missingPrograms('/shop', own, agentKinds(own))('mine')).toBeUndefined()
    },
  )

  it('ignores commands and unknown kinds', () => {
    const missing = missingPrograms('/shop', settings, agentKinds(settings))
    expect([missing('command'), missing('nobody'), missing('')]).toEqual([undefined, undefined, undefined])
  })
})
