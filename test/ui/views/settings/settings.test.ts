import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../../../support/eventually.ts'
import { openController, type TestController } from '../../controller.ts'
import { type Fixture, openFixture } from '../../fixture.ts'
import { openScreen } from '../../screen.ts'
import { rowAt, rowsOf, type SettingsOverlay } from '../../../../src/ui/views/settings/settings.ts'

let fixture: Fixture
let controller: TestController

beforeEach(async () => {
  fixture = await openFixture()
  fixture.world.file = '# Ours.\nsession:\n  maxParallel: 3   # few\n'
  controller = await openController(fixture)
  controller.press(',')
  await eventually(() => expect(controller.mode()).toBe('settings'))
})
afterEach(() => fixture.close())

const overlay = (): SettingsOverlay => {
  const { overlay: front } = controller.state().view
  if (front?.kind !== 'settings')
    throw new Error(`the settings were expected, but ${front?.kind ?? 'nothing'} is in front`)
  return front
}
const goTo = (key: string): void => {
  const at = rowsOf(overlay()).findIndex((row) => row.key === key)
  controller.press('g', ...Array.from({ length: at }, () => 'j' as const))
  expect(rowAt(controller.state())?.key).toBe(key)
}
/** Types a value into the form of the selected setting. */
const set = async (value: string): Promise<void> => {
  controller.press('enter')
  expect(controller.mode()).toBe('form')
  controller.press('ctrl-u', ...value, 'enter')
}
const changes = () => overlay().changes

describe('the configuration view', () => {
  test('changes a value, shows the lines that change, and saves them with the comments', async () => {
    await set('7')
    await eventually(() => expect(changes()).toEqual({ 'session.maxParallel': '7' }))
    expect(fixture.world.file).toContain('maxParallel: 3')
    controller.press('s')
    await eventually(() => expect(controller.mode()).toBe('confirm'))
    const { overlay: question } = controller.state().view
    expect(question?.kind === 'confirm' ? question.lines : []).toEqual([
      'Saves /shop/.aiswarm/config.yaml:',
      '- maxParallel: 3 # few',
      '+ maxParallel: 7 # few',
    ])
    controller.press('y')
    await eventually(() => expect(controller.notice()).toMatch(/^Saved\./))
    expect(fixture.world.file).toBe('# Ours.\nsession:\n  maxParallel: 7 # few\n')
    expect([controller.mode(), changes()]).toEqual(['settings', {}])
  })

  test('refuses a wrong value with a sentence, and leaves the form open', async () => {
    await set('lots')
    await eventually(() => expect(controller.notice()).toBe('session.maxParallel: a whole number is expected.'))
    expect(controller.mode()).toBe('form')
    controller.press('ctrl-u', '4', 'enter')
    await eventually(() => expect(changes()).toEqual({ 'session.maxParallel': '4' }))
  })

  test('does not overwrite a file that has changed meanwhile, and keeps the unsaved values', async () => {
    await set('7')
    await eventually(() => expect(changes()).toEqual({ 'session.maxParallel': '7' }))
    fixture.world.file = '# Theirs.\nlease: {ttl: 2m}\n'
    controller.press('s')
    await eventually(() => expect(controller.mode()).toBe('confirm'))
    controller.press('y')
    await eventually(() => expect(controller.notice()).toBe('The file has changed since it was read.'))
    expect([fixture.world.file, changes()]).toEqual(['# Theirs.\nlease: {ttl: 2m}\n', { 'session.maxParallel': '7' }])
    controller.press('r')
    await eventually(() => expect(controller.notice()).toContain('read again'))
    controller.press('s')
    await eventually(() => expect(controller.mode()).toBe('confirm'))
    controller.press('y')
    await eventually(() => expect(fixture.world.file).toBe('# Theirs.\nlease: {ttl: 2m}\nsession:\n  maxParallel: 7\n'))
  })

  test('tries a theme, strict mode and keys at once, and undoes them if they are dropped', async () => {
    goTo('console.theme')
    controller.press(' ')
    await eventually(() => expect(controller.state().preferences.theme.wish).toBe('dark'))
    goTo('console.keys')
    await set('{new: A}')
    await eventually(() => expect(controller.state().preferences.bindings['new']?.keys).toEqual(['A']))
    controller.press('escape')
    expect(controller.mode()).toBe('confirm')
    controller.press('n')
    expect(controller.mode()).toBe('settings')
    controller.press('escape', 'y')
    expect(controller.mode()).toBe('confirm')
    controller.press('y')
    expect(controller.mode()).toBe('list')
    expect(controller.state().preferences).toMatchObject({ theme: { wish: 'auto' }, bindings: {} })
    expect(fixture.world.file).not.toContain('console')
  })

  test('keeps a theme that is saved', async () => {
    goTo('console.theme')
    controller.press(' ')
    await eventually(() => expect(changes()).toEqual({ 'console.theme': 'dark' }))
    controller.press('s')
    await eventually(() => expect(controller.mode()).toBe('confirm'))
    controller.press('y')
    await eventually(() => expect(fixture.world.file).toContain('console:\n  theme: dark\n'))
    await eventually(() => expect(changes()).toEqual({}))
    controller.press('escape')
    expect([controller.mode(), controller.state().preferences.theme.wish]).toEqual(['list', 'dark'])
  })

  test('refuses keys that have another meaning, and keys that do not exist', async () => {
    goTo('console.keys')
    await set('{new: q}')
    await eventually(() => expect(controller.notice()).toContain("'q' of 'new'"))
    expect(controller.mode()).toBe('form')
    controller.press('ctrl-u', ...'{neww: A}', 'enter')
    await eventually(() => expect(controller.notice()).toContain('neww'))
    expect(controller.state().preferences.bindings).toEqual({})
  })

  test('removes a key for its default, and takes one change back', async () => {
    controller.press('d')
    await eventually(() => expect(changes()).toEqual({ 'session.maxParallel': null }))
    expect(rowAt(controller.state())?.shown).toBe('3')
    controller.press('u')
    await eventually(() => expect(changes()).toEqual({}))
    goTo('lease.ttl')
    controller.press('d')
    expect(controller.notice()).toBe('lease.ttl has its default already.')
    controller.press('s')
    expect(controller.notice()).toBe('Nothing is changed. Press enter on a setting.')
    controller.press(' ')
    expect(controller.notice()).toBe('It has no options to switch. Press enter to type a value.')
  })
})

test.each([
  [120, 30],
  [60, 15],
])('the configuration view shows value, source and meaning of the selected setting at %i×%i', async (columns, rows) => {
  const screen = openScreen(fixture, { columns, rows })
  await screen.shows('1')
  await screen.press(',')
  await screen.shows(/▸ {2}session\.maxParallel +3 +file, line 3/)
  await screen.shows('Agents that run at the same time.')
  await screen.press('j', 'j')
  await screen.shows(/▸ {2}session\.pollInterval +30s +default/)
  await screen.shows('duration; default: 30s')
  await screen.press('G')
  await screen.shows('on.worktree.integrated')
  await screen.close()
})
