import { beforeEach, describe, expect, it, vi } from 'vitest'
import { defaultSandbox } from '../../../src/domain/settings/agent-settings.ts'
import { defaultSettings } from '../../../src/domain/settings/settings.ts'
import { machine } from '../../../src/effects/sandbox/machine.ts'
import { standingOf } from '../../../src/effects/sandbox/confinement.ts'
import { act } from '../../../src/operations/perform/perform.ts'
import { requestIntegration } from '../../../src/operations/integration/request.ts'
import { commit, openSwarm } from '../swarm.ts'
import { needs } from '../../support/needs.ts'

beforeEach(() => {
  vi.stubEnv('AISWARM_SANDBOX', 'auto')
  return () => vi.unstubAllEnvs()
})

const reviewAfterRun = async (config = '') => {
  const swarm = await openSwarm({ config })
  await swarm.build('auth')
  await swarm.carryOut('echo a > a; git add a; git commit -qm "Add a"', { targetWorktree: 'auth' })
  return swarm.connection.outside.reviewWorktree('auth')
}

describe('the review', () => {
  it('names the agents that worked without a sandbox, and the reason at their start', async () => {
    const { unconfined } = await reviewAfterRun('sandbox: off')
    expect(unconfined).toEqual([{ agents: ['implementer-1'], why: 'the configuration says sandbox: off' }])
  })

  it('names none if the kernel confined them', async (context) => {
    needs(context, 'bubblewrap' in (await machine()), 'nothing can be confined')
    expect((await reviewAfterRun()).unconfined).toEqual([])
  })
})

describe('a verification', () => {
  const verified = async (config: string) => {
    const swarm = await openSwarm({ config: `integration: {verify: 'true'}\n${config}` })
    commit(await swarm.build('auth'), { a: 'a' }, 'Add a')
    const { integration } = await act(swarm.connection, requestIntegration, { worktreeName: 'auth' })
    return integration?.verification?.unconfined
  }

  it('is recorded with the reason if it ran without a sandbox', async () => {
    expect(await verified('sandbox: off')).toBe('the configuration says sandbox: off')
  })

  it('is recorded as confined if the kernel confined it, with and without a network of its own', async (context) => {
    needs(context, 'bubblewrap' in (await machine()), 'nothing can be confined')
    expect(await verified('')).toBe(null)
    expect(await verified('sandbox: {network: allowlist}')).toBe(null)
  })
})

describe('the present confinement', () => {
  const settings = (mode: 'auto' | 'off', persona?: 'required') => ({
    ...defaultSettings,
    sandbox: { ...defaultSandbox, mode },
    agents: {
      ...defaultSettings.agents,
      personas: { implementer: { args: [], approvals: 'ask' as const, allow: [], sandbox: persona } },
    },
  })

  it('is off by the choice of a person', async () => {
    expect(await standingOf(settings('off'))).toEqual({ why: 'the configuration says sandbox: off', chosen: true })
    vi.stubEnv('AISWARM_SANDBOX', 'off')
    expect(await standingOf(settings('auto'))).toEqual({
      why: 'the environment variable AISWARM_SANDBOX says off',
      chosen: true,
    })
  })

  it('is not off while a persona is confined', async () => {
    expect(await standingOf(settings('off', 'required'))).toBe(null)
  })

  it('is on where programs can be confined', async (context) => {
    needs(context, 'bubblewrap' in (await machine()), 'nothing can be confined')
    expect(await standingOf(settings('auto'))).toBe(null)
  })
})

describe('a form that starts an agent', () => {
  it('learns why it would not be confined', async () => {
    const swarm = await openSwarm({ config: 'agents: {default: claude}\nsandbox: off' })
    const { outside } = swarm.connection
    expect(await outside.whyUnconfined({ personaId: 'implementer', kind: null })).toBe(
      'no sandbox: the configuration says sandbox: off',
    )
  })
})
