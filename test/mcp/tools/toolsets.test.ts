import { describe, expect, it } from 'vitest'
import { client, person, system } from '../../../src/domain/agent/actor.ts'
import { toolCosts } from '../../../src/mcp/server/tool-costs.ts'
import { personaOf, plansWork, toolsFor } from '../../../src/mcp/tools/toolsets.ts'
import { tools } from '../../../src/mcp/tools/tools.ts'
import { setPersona } from '../../../src/operations/agents/personas.ts'
import { openCore } from '../../support/core.ts'

const persona = { args: [], approvals: 'ask' as const, allow: [] }
const always = tools.map(({ name }) => name)

/** The toolsets of an agent of this persona, or of this client. */
const switchedOn = async (world: Awaited<ReturnType<typeof openCore>>, who: string) => {
  const actor =
    who === 'client'
      ? client('person')
      : who === 'planning client'
        ? client('planner')
        : await world.agent(`${who}-7`, { personaId: who })
  const names = (await toolsFor(world.core, await personaOf({ core: world.core, actor }), plansWork({ actor }))).map(
    ({ name }) => name,
  )
  expect(names.slice(0, always.length)).toEqual(always)
  const told = await toolCosts({ core: world.core, actor })
  expect(told.filter(({ on }) => on).map(({ name }) => name)).toEqual(names)
  return [...new Set(told.flatMap(({ toolset, on }) => (on && toolset !== null ? [toolset] : [])))]
}

describe('the toolsets of an agent', () => {
  it.each([
    ['planner', ['project-memory']],
    ['reviewer', ['project-memory']],
    ['implementer', []],
    ['tester', []],
    ['client', []],
    ['planning client', ['project-memory']],
  ])('are those of its persona: %s', async (who, wanted) => {
    expect(await switchedOn(await openCore(), who)).toEqual(wanted)
  })

  it('are replaced by those that the configuration gives its persona', async () => {
    const world = await openCore({
      agents: {
        personas: {
          reviewer: { ...persona, toolsets: [] },
          implementer: { ...persona, toolsets: ['working-memory', 'dual-memory'] },
          planner: { ...persona, toolsets: ['all'] },
        },
      },
    })
    expect(await switchedOn(world, 'reviewer')).toEqual([])
    expect(await switchedOn(world, 'implementer')).toEqual(['working-memory', 'dual-memory'])
    expect(await switchedOn(world, 'planner')).toEqual([
      'session-files',
      'working-memory',
      'project-memory',
      'dual-memory',
    ])
  })

  it('stay those of the persona if the configuration changes other settings of it', async () => {
    expect(
      await switchedOn(
        await openCore({ agents: { personas: { reviewer: { ...persona, kind: 'codex' } } } }),
        'reviewer',
      ),
    ).toEqual(['project-memory'])
  })

  it('include those that mcp.toolsets enables for every client', async () => {
    const world = await openCore({
      mcp: { toolsets: ['working-memory'] },
      agents: { personas: { tester: { ...persona, toolsets: ['dual-memory'] } } },
    })
    expect(await switchedOn(world, 'client')).toEqual(['working-memory'])
    expect(await switchedOn(world, 'planner')).toEqual(['working-memory', 'project-memory'])
    expect(await switchedOn(world, 'tester')).toEqual(['working-memory', 'dual-memory'])
  })

  it('are empty for a persona of the repository', async () => {
    const world = await openCore()
    await world.perform(
      setPersona,
      { id: 'constructor', name: 'Odd', role: 'worker', definition: 'You are odd.' },
      system(),
    )
    expect(await switchedOn(world, 'constructor')).toEqual([])
  })
})

describe('the tool cost of a persona', () => {
  it('is reported per tool, and for a plain worker is the base cost', async () => {
    const { core } = await openCore()
    const told = await toolCosts({ core, actor: person })
    const paid = (id: string): number =>
      told.reduce((sum, tool) => sum + (tool.personas.includes(id) ? tool.tokens : 0), 0)
    const everybody = told.reduce((sum, { toolset, tokens }) => sum + (toolset === null ? tokens : 0), 0)
    expect(paid('implementer')).toBe(everybody)
    expect(paid('tester')).toBe(everybody)
    expect(everybody).toBeLessThanOrEqual(3600)
    expect(paid('planner') - everybody).toBeGreaterThan(0)
    expect(paid('planner') - everybody).toBeLessThanOrEqual(1000)
    expect(paid('reviewer')).toBe(paid('planner'))
  })
})
