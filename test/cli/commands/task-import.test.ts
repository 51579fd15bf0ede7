import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTerminal } from '../terminal.ts'

const yaml = `
- title: Model
  personaId: implementer
  priority: 100
  command: npm run model
- title: Login form
  description: |
    Two fields.
  personaId: implementer
  dependencies: [1]
  targetWorktree:
  acceptanceCriteria: [It logs in]
`

test('tasks are imported from YAML, with dependencies by place in the list', async () => {
  const { json, folder } = await openTerminal()
  await json('task', 'add', 'Earlier', '--persona', 'implementer')
  writeFileSync(join(folder, 'plan.yaml'), yaml)
  expect(await json('task', 'import', join(folder, 'plan.yaml'))).toMatchObject([
    { id: 2, title: 'Model', priority: 100, command: 'npm run model' },
    { id: 3, title: 'Login form', description: 'Two fields.\n', dependencies: [2], targetWorktree: null, acceptanceCriteria: [{ text: 'It logs in', met: false }] },
  ])
})

test('tasks are imported from JSON on standard input', async () => {
  const { json } = await openTerminal({ streams: { readInput: () => Promise.resolve('[{"title": "Model", "personaId": "implementer", "metadata": {"tier": 1}}]') } })
  expect(await json('task', 'import', '-')).toMatchObject([{ id: 1, title: 'Model', metadata: { tier: 1 } }])
})

test('one JSON object is imported as one task', async () => {
  const text = '\ufeff{\n  "title": "Model",\n  "personaId": "implementer",\n  "command": null\n}\n'
  const { json } = await openTerminal({ streams: { readInput: () => Promise.resolve(text) } })
  expect(await json('task', 'import', '-')).toMatchObject([{ id: 1, title: 'Model', command: null }])
})

test('JSON lines are imported as one task per line, with dependencies by place', async () => {
  const lines = '{"title": "Model", "personaId": "implementer"}\r\n\r\n{"title": "Form", "personaId": "implementer", "dependencies": [1]}\n'
  const { json, folder } = await openTerminal({ streams: { readInput: () => Promise.resolve(lines) } })
  expect(await json('task', 'import', '-')).toMatchObject([{ title: 'Model' }, { title: 'Form', dependencies: [1] }])
  writeFileSync(join(folder, 'plan.jsonl'), lines)
  expect(await json('task', 'import', join(folder, 'plan.jsonl'))).toMatchObject([{ id: 3 }, { id: 4, dependencies: [3] }])
})

test('a thousand lines are one import', async () => {
  const lines = Array.from({ length: 1000 }, (_, n) => JSON.stringify({ title: `T${n}`, personaId: 'tester' })).join('\n')
  const { json } = await openTerminal({ streams: { readInput: () => Promise.resolve(lines) } })
  expect(await json('task', 'import', '-')).toHaveLength(1000)
})

const good = '{"title": "A", "personaId": "tester"}'

test.each([
  [`${good}\n\n{"title": "B", "personaId": "tester", "titel": "B"}\n`, "standard input: line 3 has the unknown key 'titel'."],
  [`${good}\n{"title": "B"}\n`, "standard input: line 2, key 'personaId': expected string, received undefined."],
  [`${good}\n"B"\n`, 'standard input: line 2 is not an object; {title, personaId, …} was expected.'],
  [`{"title": "A"\n${good}\n`, /^standard input: line 1 is not JSON \(/],
  [`${good}\n${good}\nand so on`, /^standard input: line 3 is not JSON \(/],
  ['{"title": "A", "personaId": "tester", }', /^standard input: line 1 is not JSON \(/],
  [`  ${good}\n  {"title": "B"}\n`, "standard input: line 2, key 'personaId': expected string, received undefined."],
  [`${good}\n{"title": "B", "personaId": "nobody"}\n`, "Task 2 of the list: There is no persona nobody. 'aiswarm persona list' lists the personas."],
  ['{"title": "A"}', "standard input: the object, key 'personaId': expected string, received undefined."],
  [`${good}\n{"title": "B", "personaId": "tester", "dependencies": [3]}`, 'Task 2 of the list depends on task 3, but the list has 2.'],
])('an error in JSON lines is reported by line and key: %s', async (text, message) => {
  const { refused, json } = await openTerminal({ streams: { readInput: () => Promise.resolve(text) } })
  expect((await refused('task', 'import', '-')).message).toEqual(typeof message === 'string' ? message : (expect.stringMatching(message) as string))
  expect(await json('task', 'list')).toEqual([])
})

test.each([
  ['[{"title": "A", "personaId": "tester"}, {"titel": "B", "title": "B", "personaId": "tester"}]', 2, "standard input: item 2 has the unknown key 'titel'."],
  ['- title: A', 2, "standard input: item 1, key 'personaId': expected string, received undefined."],
  ['- {title: A, personaId: tester, priority: high}', 2, "standard input: item 1, key 'priority': expected number, received string."],
  ['[]', 2, 'standard input: the list is empty.'],
  ['title: A', 2, 'standard input has no list of tasks; an array of {title, personaId, …} was expected.'],
  ['- {title: A, personaId: tester, dependencies: [7]}', 1, 'Task 1 of the list depends on task 7, but the list has 1.'],
])('an error is reported by item and key: %s', async (text, exit, message) => {
  const { refused, json } = await openTerminal({ streams: { readInput: () => Promise.resolve(text) } })
  expect(await refused('task', 'import', '-')).toMatchObject({ exit, message })
  expect(await json('task', 'list')).toEqual([])
})

test('a file that is neither YAML nor JSON is refused with the position of the error', async () => {
  const { refused } = await openTerminal({ streams: { readInput: () => Promise.resolve('[{"title": ') } })
  expect((await refused('task', 'import', '-')).message).toMatch(/^standard input is neither JSON nor YAML: .* at line 1, column \d+\.$/)
})

test('a missing file is refused', async () => {
  const { refused } = await openTerminal()
  expect(await refused('task', 'import', '/nowhere/plan.yaml')).toEqual({ exit: 1, code: 'file_unreadable', message: 'There is no file /nowhere/plan.yaml.' })
})
