import { expect, test } from 'vitest'
import { system } from '../../../src/domain/agent/actor.ts'
import { getPersona, listPersonas, setPersona } from '../../../src/operations/agents/personas.ts'
import { type PersonaFile, personasDiffer, syncPersonas } from '../../../src/operations/agents/persona-files.ts'
import { openCore, refused, type World } from '../../support/core.ts'

const file = (id: string, definition: string): PersonaFile => ({
  id,
  name: id,
  role: 'worker',
  definition,
  hash: `hash of ${definition}`,
})
const sync = ({ perform }: Pick<World, 'perform'>, files: readonly PersonaFile[]) =>
  perform(syncPersonas, { files: [...files] }, system())
const definition = async ({ perform }: Pick<World, 'perform'>, personaId: string) =>
  (await perform(getPersona, { personaId })).definition

test('the built-in personas exist, and the persona of people is hidden', async () => {
  const { perform } = await openCore()
  expect((await perform(listPersonas, {})).map((persona) => persona.id)).toEqual([
    'implementer',
    'planner',
    'reviewer',
    'tester',
  ])
  expect(await refused(perform(getPersona, { personaId: 'human' }))).toBe('not_found')
})

test('a file overrides a built-in persona until it is deleted', async () => {
  const world = await openCore()
  const builtIn = await definition(world, 'tester')
  expect(await sync(world, [file('tester', 'mine')])).toEqual({ changed: ['tester'] })
  expect(await definition(world, 'tester')).toBe('mine')
  expect(await sync(world, [file('tester', 'mine')])).toEqual({ changed: [] })
  expect(await sync(world, [])).toEqual({ changed: ['tester'] })
  expect(await definition(world, 'tester')).toBe(builtIn)
})

test('a persona that a person set stays until the file changes', async () => {
  const world = await openCore()
  await sync(world, [file('dba', 'one')])
  await world.perform(setPersona, { id: 'dba', definition: 'by hand' })
  expect(await sync(world, [file('dba', 'one')])).toEqual({ changed: [] })
  expect(await definition(world, 'dba')).toBe('by hand')
  await sync(world, [file('dba', 'two')])
  expect(await definition(world, 'dba')).toBe('two')
})

test('a cheap check says whether a persona file has changed', async () => {
  const world = await openCore()
  const differ = (files: PersonaFile[]) => world.perform(personasDiffer, { files }, system())
  expect(await differ([])).toBe(false)
  expect(await differ([file('dba', 'one')])).toBe(true)
  await sync(world, [file('dba', 'one')])
  expect(await differ([file('dba', 'one')])).toBe(false)
  expect(await differ([file('dba', 'two')])).toBe(true)
})

test('a person sets a persona; agents, invalid ids and empty definitions are refused', async () => {
  const { perform, agent } = await openCore()
  expect(await perform(setPersona, { id: 'dba', definition: ' Tune it. ' })).toMatchObject({
    id: 'dba',
    name: 'dba',
    role: 'worker',
    definition: 'Tune it.',
    source: 'set',
  })
  expect(
    await refused(perform(setPersona, { id: 'dba', definition: 'x' }, await agent('p', { personaId: 'planner' }))),
  ).toBe('not_allowed')
  expect(await refused(perform(setPersona, { id: '../x', definition: 'x' }))).toBe('invalid_name')
  expect(await refused(perform(setPersona, { id: 'human', definition: 'x' }))).toBe('reserved_name')
  expect(await refused(perform(setPersona, { id: 'x', definition: ' ' }))).toBe('invalid_input')
})
