import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { person } from '../../../../src/domain/agent/actor.ts'
import { cancelTask } from '../../../../src/operations/tasks/cancel.ts'
import { claimTask } from '../../../../src/operations/tasks/claims.ts'
import { registerAgent } from '../../../../src/operations/agents/spawn.ts'
import { joinHost, makeJoinCode } from '../../../../src/operations/hosts/membership.ts'
import { createTask } from '../../../../src/operations/tasks/create.ts'
import { getTask } from '../../../../src/operations/tasks/detail.ts'
import { perform } from '../../../../src/operations/perform/perform.ts'
import type { Field, Form } from '../../../../src/ui/core/form.ts'
import { selectTask } from '../../../../src/ui/panes/movement.ts'
import { paste } from '../../../../src/ui/keys/dispatch.ts'
import { eventually } from '../../../support/eventually.ts'
import { openController, type TestController } from '../../controller.ts'
import { type Fixture, openFixture } from '../../fixture.ts'
import { openScreen } from '../../screen.ts'

let fixture: Fixture
let controller: TestController

beforeEach(async () => {
  fixture = await openFixture()
  await fixture.addTask('Model', { description: 'of all', acceptanceCriteria: ['It saves'], priority: 3 })
  await fixture.addTask('Login form')
  controller = await openController(fixture)
})
afterEach(() => fixture.close())

const form = (): Form => {
  const { overlay } = controller.state().view
  if (overlay?.kind !== 'form') throw new Error(`a form was expected, but ${overlay?.kind ?? 'nothing'} is in front`)
  return overlay.form
}
const addHost = async (): Promise<void> => {
  const { secret } = await perform(fixture.core, makeJoinCode, {}, person)
  await perform(fixture.core, joinHost, { secret, hostId: 'bbbbbbbb', name: 'b', machine: 'm', root: '/b' }, person)
}
const field = (key: string): Field => form().fields.find((one) => one.key === key)!
const goTo = (key: string): void => {
  for (let n = 0; n < 20 && form().fields[form().at]!.key !== key; n++) controller.press('tab')
  expect(form().fields[form().at]!.key).toBe(key)
}
const show = (taskId: number) => perform(fixture.core, getTask, { taskId }, person)
const edit = async (taskId = 1): Promise<void> => {
  controller.change(selectTask(taskId))
  controller.press('e')
  await eventually(() => expect(form().kind).toBe('edit'))
}

test('a task that was cancelled after the screen was drawn opens no form', async () => {
  await perform(fixture.core, cancelTask, { taskId: 1 }, person)
  controller.change(selectTask(1))
  controller.press('e')
  await eventually(() => expect(controller.notice()).toMatch(/^Task 1 is cancelled; only a pending/))
  expect(controller.state().view.overlay).toBeNull()
})

describe('the form of a new task', () => {
  test('preselects a worktree of its own, and on the worktrees the selected one', async () => {
    await fixture.addWorktree('pay')
    await controller.reread()
    controller.press('n')
    expect(field('worktree').value).toBe('(new worktree)')
    controller.press('escape', '4', 'n')
    expect(field('worktree').value).toBe('pay')
  })

  test('creates a task with every field', async () => {
    controller.press('n', ...'Pay')
    goTo('description')
    paste(controller, 'by card\r\nand by wire')
    controller.press('ctrl-n', ...'soon')
    goTo('depends')
    controller.press('2')
    goTo('criteria')
    paste(controller, '- It pays\n\n- It refunds')
    goTo('priority')
    controller.press(...'90')
    goTo('kind')
    controller.press('c', 'o', 'd')
    goTo('model')
    controller.press(...'small')
    goTo('budget')
    controller.press(...'2.50, 200k tokens', 'enter')
    await eventually(() => expect(controller.notice()).toBe('Created task 3 “Pay”.'))
    expect(await show(3)).toMatchObject({
      description: 'by card\nand by wire\nsoon',
      dependencies: [2],
      acceptanceCriteria: [{ text: 'It pays' }, { text: 'It refunds' }],
      priority: 90,
      metadata: { cli: 'codex', model: 'small', worktree: 'auto' },
      budget: { costUsd: 2.5, tokens: 200_000 },
    })
  })

  test('chooses a host and labels where the board has several hosts', async () => {
    await addHost()
    controller.press('n', ...'Pay')
    goTo('model')
    controller.press('m')
    expect(field('host')).toBeUndefined()
    await eventually(() => expect(field('host').value).toBe('(any host)'))
    // Everything that was typed before the board has answered stays, and the focus too.
    expect([field('title').value, field('model').value]).toEqual(['Pay', 'm'])
    expect(form().fields[form().at]!.key).toBe('model')
    goTo('host')
    controller.press('b')
    goTo('labels')
    controller.press(...'gpu, big', 'enter')
    await eventually(() => expect(controller.notice()).toBe('Created task 3 “Pay”.'))
    expect((await show(3)).metadata).toMatchObject({ placement: { host: 'b', labels: ['gpu', 'big'] } })
  })

  test('is offered again if its worktree is on a host already', async () => {
    await fixture.addWorktree('lamp')
    await addHost()
    await controller.reread()
    controller.press('n', ...'Pay')
    goTo('worktree')
    controller.press('l')
    await eventually(() => expect(field('host')).toBeDefined())
    goTo('host')
    controller.press('b', 'enter')
    await eventually(() => expect(controller.notice()).toContain('Worktree lamp decides on which host the task runs.'))
    controller.press('n')
    expect([field('worktree').value, field('host').value]).toEqual(['lamp', 'b'])
    await eventually(() => expect(field('host').options).toEqual(['(any host)', 'local', 'b']))
    expect(field('host').value).toBe('b')
  })

  test('narrows a choice by the typed letters, and begins again with a letter that does not fit', () => {
    controller.press('n')
    goTo('persona')
    controller.press('t')
    expect(field('persona').value).toBe('tester')
    controller.press('backspace', 'p', 'l')
    expect(field('persona').value).toBe('planner')
    controller.press('v')
    expect(field('persona').value).toBe('reviewer')
    controller.press('right')
    expect(field('persona')).toMatchObject({ value: 'tester' })
    expect(field('persona').sought).toBeUndefined()
  })

  test('offers the last persona and the last values', async () => {
    controller.press('n', ...'Pay')
    goTo('persona')
    controller.press('t')
    goTo('priority')
    controller.press(...'90', 'enter')
    await eventually(() => expect(controller.notice()).toContain('Created task 3'))
    controller.press('n')
    expect([field('persona').value, field('priority').value]).toEqual(['tester', ''])
    goTo('priority')
    controller.press('right')
    expect(field('priority').value).toBe('90')
  })

  test('is kept as a draft by Esc, and by a refusal', async () => {
    controller.press('n', ...'Pay', 'escape')
    expect(controller.notice()).toBe('The draft is kept until you quit; n continues it.')
    controller.press('n')
    expect(form().title).toBe('New task (your draft)')
    goTo('depends')
    controller.press('9', 'enter')
    await eventually(() => expect(controller.notice()).toContain('task 9, which does not exist'))
    controller.press('n')
    expect([field('title').value, field('depends').value]).toEqual(['Pay', '9'])
    goTo('depends')
    controller.press('ctrl-u', 'enter')
    await eventually(() => expect(controller.notice()).toBe('Created task 3 “Pay”.'))
    controller.press('n')
    expect([form().title, field('title').value]).toEqual(['New task', ''])
    controller.press('escape')
    expect(controller.notice()).toBe('')
  })

  test('is not offered again while it is being created', async () => {
    controller.press('n', ...'Pay', 'escape', 'n', 'enter', 'n')
    expect([form().title, field('title').value]).toEqual(['New task', ''])
    await eventually(() => expect(controller.notice()).toBe('Created task 3 “Pay”.'))
  })

  test('refuses a budget that it cannot read', () => {
    controller.press('n', ...'Pay')
    goTo('budget')
    controller.press(...'much', 'enter')
    expect(controller.notice()).toBe("'much' is not a budget. Enter dollars (2.50), tokens (200k tokens), or both.")
    expect(controller.mode()).toBe('form')
  })

  test('opens the editor on a text of several lines only', () => {
    const edited: string[] = []
    Object.assign(controller, {
      editText: (text: string, next: (text: string) => void) => {
        edited.push(text)
        next('written\nin the editor')
      },
    })
    controller.press('n', ...'Pay', 'ctrl-e')
    expect(controller.notice()).toContain('Only a text of several lines opens in your editor.')
    goTo('description')
    controller.press('x', 'ctrl-e')
    expect([edited, field('description').value]).toEqual([['x'], 'written\nin the editor'])
  })
})

describe('the form of an edited task', () => {
  test('has the present values of what may change, and writes only what was changed', async () => {
    await edit()
    expect(form().title).toBe('Edit task 1  Model')
    expect(form().fields.map(({ key, value }) => [key, value])).toEqual([
      ['description', 'of all'],
      ['criteria', 'It saves'],
      ['depends', ''],
      ['priority', '3'],
      ['budget', ''],
      ['kind', '(as configured)'],
      ['model', ''],
    ])
    goTo('priority')
    controller.press('ctrl-u', ...'9', 'enter')
    await eventually(() => expect(controller.notice()).toBe('Task 1: priority 3 → 9.'))
    expect(await show(1)).toMatchObject({
      priority: 9,
      description: 'of all',
      acceptanceCriteria: [{ text: 'It saves' }],
    })
  })

  test('also chooses the host of a worktree that is yet to be built, on a board with several', async () => {
    const add = { title: 'Pay', personaId: 'implementer', targetWorktree: 'auto' }
    const { id } = await perform(fixture.core, createTask, add, person)
    await controller.reread()
    await edit(id)
    expect(field('host')).toBeUndefined()
    controller.press('escape')
    await addHost()
    await edit(id)
    goTo('host')
    expect(field('host').options).toHaveLength(3)
    controller.press('b')
    goTo('labels')
    controller.press(...'gpu, big', 'enter')
    await eventually(() =>
      expect(controller.notice()).toBe(`Task ${id}: host any → b; labels of its host none → gpu, big.`),
    )
    expect((await show(id)).metadata).toMatchObject({ placement: { host: 'b', labels: ['gpu', 'big'] } })
  })

  test('says that nothing changes, and performs nothing', async () => {
    await edit()
    controller.press('enter')
    expect([controller.mode(), controller.notice()]).toEqual(['list', 'Task 1 stays as it is.'])
  })

  test('is there again with the typed values if the operation refuses them', async () => {
    await edit(2)
    goTo('depends')
    controller.press('2', 'enter')
    await eventually(() => expect(controller.notice()).toContain('The dependencies form a cycle'))
    expect(field('depends').value).toBe('2')
  })

  test('has only the priority and the budget while an agent works on it, and refuses an ended task', async () => {
    await perform(fixture.core, registerAgent, { id: 'backend-1', personaId: 'implementer' }, person)
    await perform(fixture.core, claimTask, { taskId: 1, agentId: 'backend-1' }, person)
    await controller.reread()
    await edit()
    expect(form().fields.map(({ key }) => key)).toEqual(['priority', 'budget'])
  })
})

test('a form completes dependencies by the words of a title', async () => {
  const screen = openScreen(fixture)
  await screen.shows('Login form')
  await screen.press('n', 'Pay', '\t', '\t', '\t', '\t', '\t')
  await screen.shows('▸Depends on')
  await screen.press('logi')
  await screen.shows(/▸Depends on +logi +→ 2 Login form/)
  await screen.press('\u001b[C')
  await screen.shows(/▸Depends on +2, /)
  await screen.press('\r')
  await screen.shows('Created task 3 “Pay”.')
  await screen.close()
  expect((await show(3)).dependencies).toEqual([2])
})

test('a form shows the lines of a text below its field, and their number when it is left', async () => {
  const screen = openScreen(fixture)
  await screen.shows('Login form')
  await screen.press('n', '\t', 'one', '\u000e', 'two')
  await screen.shows(/▸Description +2 lines [^]*│ +one +│\n│ +two +│/)
  await screen.press('\t')
  await screen.shows(/ Description +one \(\+1 line\) /)
  await screen.close()
})

test('the history of a task lists who changed what', async () => {
  await edit()
  goTo('priority')
  controller.press('ctrl-u', ...'9', 'enter')
  await eventually(() => expect(controller.notice()).toBe('Task 1: priority 3 → 9.'))
  const screen = openScreen(fixture, { rows: 40 })
  await screen.shows('Login form')
  await screen.press('\r', ']', ']', ']')
  await screen.shows('▸▸ History')
  await screen.press(' ')
  await screen.shows(/human {2}created[^]*human {2}edited[^]*priority 3 → 9/)
  await screen.close()
})
