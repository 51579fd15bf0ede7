import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { taskListSchema } from '../../../src/cli/verbs/tasks.ts'
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
    {
      id: 3,
      title: 'Login form',
      description: 'Two fields.\n',
      dependencies: [2],
      targetWorktree: null,
      acceptanceCriteria: [{ text: 'It logs in', met: false }],
    },
  ])
})

test('tasks are imported from JSON on standard input', async () => {
  const { json } = await openTerminal({
    streams: {
      readInput: () => Promise.resolve('[{"title": "Model", "personaId": "implementer", "metadata": {"tier": 1}}]'),
    },
  })
  expect(await json('task', 'import', '-')).toMatchObject([{ id: 1, title: 'Model', metadata: { tier: 1 } }])
})

test('one JSON object is imported as one task', async () => {
  const text = '\ufeff{\n  "title": "Model",\n  "personaId": "implementer",\n  "command": null\n}\n'
  const { json } = await openTerminal({ streams: { readInput: () => Promise.resolve(text) } })
  expect(await json('task', 'import', '-')).toMatchObject([{ id: 1, title: 'Model', command: null }])
})

test('JSON lines are imported as one task per line, with dependencies by place', async () => {
  const lines =
    '{"title": "Model", "personaId": "implementer"}\r\n\r\n{"title": "Form", "personaId": "implementer", "dependencies": [1]}\n'
  const { json, folder } = await openTerminal({ streams: { readInput: () => Promise.resolve(lines) } })
  expect(await json('task', 'import', '-')).toMatchObject([{ title: 'Model' }, { title: 'Form', dependencies: [1] }])
  writeFileSync(join(folder, 'plan.jsonl'), lines)
  expect(await json('task', 'import', join(folder, 'plan.jsonl'))).toMatchObject([
    { id: 3 },
    { id: 4, dependencies: [3] },
  ])
})

test('a thousand lines are one import', async () => {
  const lines = Array.from({ length: 1000 }, (_, n) => JSON.stringify({ title: `T${n}`, personaId: 'tester' })).join(
    '\n',
  )
  const { json } = await openTerminal({ streams: { readInput: () => Promise.resolve(lines) } })
  expect(await json('task', 'import', '-')).toHaveLength(1000)
})

const good = '{"title": "A", "personaId": "tester"}'

test.each([
  [
    `${good}\n\n{"title": "B", "personaId": "tester", "titel": "B"}\n`,
    "standard input: line 3 has the unknown key 'titel' (did you mean 'title'?).",
  ],
  [`${good}\n{"title": "B"}\n`, "standard input: line 2, key 'personaId': expected string, received undefined."],
  [`${good}\n"B"\n`, 'standard input: line 2 is not an object; {title, personaId, …} was expected.'],
  [`{"title": "A"\n${good}\n`, /^standard input: line 1 is not JSON \(/],
  [`${good}\n${good}\nand so on`, /^standard input: line 3 is not JSON \(/],
  ['{"title": "A", "personaId": "tester", }', /^standard input: line 1 is not JSON \(/],
  [`  ${good}\n  {"title": "B"}\n`, "standard input: line 2, key 'personaId': expected string, received undefined."],
  [
    `${good}\n{"title": "B", "personaId": "nobody"}\n`,
    "Task 2 of the list: There is no persona nobody. 'aiswarm persona list' lists the personas.",
  ],
  ['{"title": "A"}', "standard input: the object, key 'personaId': expected string, received undefined."],
  [
    `${good}\n{"title": "B", "personaId": "tester", "dependencies": [3]}`,
    'Task 2 of the list depends on task 3, but the list has 2.',
  ],
])('an error in JSON lines is reported by line and key: %s', async (text, message) => {
  const { refused, json } = await openTerminal({ streams: { readInput: () => Promise.resolve(text) } })
  expect((await refused('task', 'import', '-')).message).toEqual(
    typeof message === 'string' ? message : (expect.stringMatching(message) as string),
  )
  expect(await json('task', 'list')).toEqual([])
})

test.each([
  [
    '[{"title": "A", "personaId": "tester"}, {"titel": "B", "title": "B", "personaId": "tester"}]',
    2,
    "standard input: item 2 has the unknown key 'titel' (did you mean 'title'?).",
  ],
  [
    '- {title: A, persona: tester}',
    2,
    "standard input: item 1 has the unknown key 'persona' (did you mean 'personaId'?).",
  ],
  [
    '- {title: A, personaId: tester, dependsOn: [1]}',
    2,
    "standard input: item 1 has the unknown key 'dependsOn' (did you mean 'dependencies'?).",
  ],
  [
    '- {title: A, personaId: tester, worktree: auto}',
    2,
    "standard input: item 1 has the unknown key 'worktree' (did you mean 'targetWorktree'?).",
  ],
  [
    '- {title: A, personaId: tester, xyz: 1}',
    2,
    expect.stringContaining("unknown key 'xyz' (known are title, description, personaId, ") as string,
  ],
  ['- title: A', 2, "standard input: item 1, key 'personaId': expected string, received undefined."],
  [
    '- {title: A, personaId: tester, priority: high}',
    2,
    "standard input: item 1, key 'priority': expected number, received string.",
  ],
  ['[]', 2, 'standard input: the list is empty.'],
  ['title: A', 2, 'standard input has no list of tasks; an array of {title, personaId, …} was expected.'],
  [
    '- {title: A, personaId: tester, dependencies: [7]}',
    1,
    'Task 1 of the list depends on task 7, but the list has 1.',
  ],
])('an error is reported by item and key: %s', async (text, exit, message) => {
  const { refused, json } = await openTerminal({ streams: { readInput: () => Promise.resolve(text) } })
  expect(await refused('task', 'import', '-')).toMatchObject({ exit, message })
  expect(await json('task', 'list')).toEqual([])
})

test('a list may say of each task what task add says', async () => {
  const plan = `
- title: Model
  personaId: implementer
  kind: command
  model: large
  metadata: { tier: 1 }
  budget: { costUsd: 2.5, tokens: 1000 }
- { title: Form, personaId: tester, parentTaskId: 1, targetWorktree: auto, contextRef: docs/form.md }
`
  const { json } = await openTerminal({ streams: { readInput: () => Promise.resolve(plan) } })
  await json('task', 'add', 'Whole', '--persona', 'planner')
  await json('task', 'import', '-')
  expect(await json('task', 'show', '2')).toMatchObject({
    metadata: { tier: 1, cli: 'command', model: 'large' },
    budget: { costUsd: 2.5, tokens: 1000 },
  })
  expect(await json('task', 'show', '3')).toMatchObject({
    parentTaskId: 1,
    contextRef: 'docs/form.md',
    metadata: { worktree: 'auto' },
  })
})

test.each([
  [
    '- {title: A, personaId: tester, kind: clade}',
    /^Task 1 of the list: Agent kind 'clade' is unknown|^Agent kind 'clade' is unknown/,
  ],
  [
    '- {title: A, personaId: tester, kind: command, metadata: 7}',
    /^Task 1 of the list: The kind and the model are stored in the metadata, so the metadata must be a JSON object\.$/,
  ],
  [
    '- {title: A, personaId: tester}\n- {title: B, personaId: nobody}',
    /^Task 2 of the list: There is no persona nobody\./,
  ],
  [
    '- {title: A, personaId: tester, dependencies: [2]}\n- {title: B, personaId: tester, dependencies: [1]}',
    /^The dependencies form a cycle/,
  ],
])('an import and its dry run refuse %s', async (text, message) => {
  const { refused, json } = await openTerminal({ streams: { readInput: () => Promise.resolve(text) } })
  expect((await refused('task', 'import', '-')).message).toMatch(message)
  expect((await refused('task', 'import', '-', '--dry-run')).message).toMatch(message)
  expect(await json('task', 'list')).toEqual([])
})

test('a dry run prints the list as a tree and imports nothing', async () => {
  const plan = `
- { title: Model, personaId: implementer }
- { title: Form, personaId: implementer, dependencies: [1], targetWorktree: form }
- { title: Texts, personaId: tester, command: 'true' }
- { title: Everything, personaId: reviewer, dependencies: [1, 2, 3], targetWorktree: auto }
- { title: More of the model, personaId: implementer, dependencies: [1] }
`
  const { run, json } = await openTerminal({ streams: { readInput: () => Promise.resolve(plan) } })
  await json('worktree', 'create', 'form', '--branch', 'form')
  expect((await run('task', 'import', '-', '--dry-run')).out).toBe(
    [
      '5 tasks; nothing is imported.',
      '1  Model  (implementer)',
      '  2  Form  (implementer; worktree form)',
      '  5  More of the model  (implementer)',
      '3  Texts  (shell command)',
      '  4  Everything  (reviewer; own worktree; also after 1, 2)',
      '',
    ].join('\n'),
  )
  expect(await json('task', 'import', '-', '--dry-run')).toEqual({ tasks: 5 })
  expect(await json('task', 'list')).toEqual([])
})

test('the list in docs/automation.md is drawn as printed there', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/automation.md'), 'utf8')
  const [, list = '', printed = ''] =
    /```yml\n([^`]+)```[^`]+`aiswarm task import plan\.yaml --dry-run`[^`]+```text\n([^`]+)```/.exec(page) ?? []
  const { run, folder } = await openTerminal()
  writeFileSync(join(folder, 'plan.yaml'), list)
  expect((await run('task', 'import', join(folder, 'plan.yaml'), '--dry-run')).out).toBe(printed)
})

test("the published schema of a list is current ('npm run schemas' writes it), and accepts what an import accepts", () => {
  const schema = readFileSync(join(import.meta.dirname, '../../../schemas/task_list.json'), 'utf8')
  expect(schema).toBe(taskListSchema())
  const valid = new Ajv2020({ strict: false }).compile(JSON.parse(schema) as object)
  expect(
    valid([
      {
        title: 'A',
        personaId: 'tester',
        dependencies: [1],
        kind: 'claude',
        budget: { costUsd: 1 },
        acceptanceCriteria: ['c'],
        metadata: { any: [1, null] },
      },
    ]),
  ).toBe(true)
  expect([[{ title: 'A' }], [{ title: 'A', personaId: 'tester', titel: 'B' }], []].map((list) => valid(list))).toEqual([
    false,
    false,
    false,
  ])
})

test('a file that is neither YAML nor JSON is refused with the position of the error', async () => {
  const { refused } = await openTerminal({ streams: { readInput: () => Promise.resolve('[{"title": ') } })
  expect((await refused('task', 'import', '-')).message).toMatch(
    /^standard input is neither JSON nor YAML: .* at line 1, column \d+\.$/,
  )
})

test('a missing file is refused', async () => {
  const { refused } = await openTerminal()
  expect(await refused('task', 'import', '/nowhere/plan.yaml')).toEqual({
    exit: 1,
    code: 'file_unreadable',
    message: 'There is no file /nowhere/plan.yaml.',
  })
})
