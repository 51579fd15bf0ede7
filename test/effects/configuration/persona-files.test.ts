import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { CONFIGURATION } from '../../../src/domain/integration/trusted-configuration.ts'
import { readOwn } from '../../../src/effects/guard/own-configuration.ts'
import { personasOf } from '../../../src/effects/configuration/persona-files.ts'
import { getPersona } from '../../../src/operations/agents/personas.ts'
import { perform } from '../../../src/operations/perform/perform.ts'
import { temporaryFolder } from '../../support/core.ts'
import { openSwarm, write } from '../swarm.ts'

const readIn = (root: string) => {
  const warnings: string[] = []
  const files = Object.entries(readOwn(root)).flatMap(([name, text]) =>
    name === CONFIGURATION ? [] : [[join(root, name), text] as const],
  )
  return {
    personas: personasOf(files, (sentence) => warnings.push(sentence)),
    warnings,
    folder: join(root, '.aiswarm/personas'),
  }
}

const readFiles = (files: Readonly<Record<string, string>>) => {
  const root = temporaryFolder()
  write(join(root, '.aiswarm/personas'), files)
  return readIn(root)
}

it('a persona file has its id as its name and its definition as its text', () => {
  const { personas, warnings } = readFiles({ 'painter.md': '\nYou paint.\n\nWith care.\n' })
  expect(personas).toEqual([
    {
      id: 'painter',
      name: 'Painter',
      role: 'worker',
      definition: 'You paint.\n\nWith care.',
      hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    },
  ])
  expect(warnings).toEqual([])
})

it('the front matter of a persona file gives it a name and a role', () => {
  const { personas } = readFiles({
    'lead.md': '---\nname: The Lead\nrole: planner\n---\nYou plan.\n',
    'dos.md': '---\r\nname: Dos\r\n---\r\nYou paint.\r\n',
  })
  expect(personas.map(({ id, name, role, definition }) => [id, name, role, definition])).toEqual([
    ['dos', 'Dos', 'worker', 'You paint.'],
    ['lead', 'The Lead', 'planner', 'You plan.'],
  ])
})

it('a persona file named planner is a planner by default', () => {
  expect(readFiles({ 'planner.md': 'You plan.' }).personas[0]!.role).toBe('planner')
})

it('an invalid persona file is skipped with a sentence, and the others count', () => {
  const { personas, warnings, folder } = readFiles({
    'a b.md': 'x',
    'empty.md': '---\nname: E\n---\n\n',
    'boss.md': '---\nrole: boss\n---\nx',
    'broken.md': '---\nname: [\n---\nx',
    'notes.txt': 'x',
    'good.md': 'You are good.',
  })
  expect(personas.map(({ id }) => id)).toEqual(['good'])
  expect(warnings).toHaveLength(4)
  expect(warnings.every((sentence) => sentence.startsWith(`${folder}/`))).toBe(true)
  expect(warnings.find((sentence) => sentence.includes('boss.md'))).toContain('role must be planner or worker')
  expect(warnings.find((sentence) => sentence.includes('empty.md'))).toContain('the definition is empty')
})

it('a folder with the name of a persona file is skipped as well', () => {
  const root = temporaryFolder()
  mkdirSync(join(root, '.aiswarm/personas/folder.md'), { recursive: true })
  const { personas, warnings } = readIn(root)
  expect(personas).toEqual([])
  expect(warnings).toHaveLength(1)
})

it('a repository without the folder has no custom personas', () => {
  expect(readIn('/no/such/folder').personas).toEqual([])
})

it('the personas of a repository are loaded when it is opened, and again when they change', async () => {
  const { world, open, path } = await openSwarm({ files: { '.aiswarm/personas/painter.md': 'You paint.' } })
  const definition = async (of = world) =>
    (await perform(of.core, getPersona, { personaId: 'painter' }, of.actor)).definition
  expect(await definition()).toBe('You paint.')
  write(path(), { '.aiswarm/personas/painter.md': 'You paint red.' })
  expect(await definition(await open())).toBe('You paint red.')
})
