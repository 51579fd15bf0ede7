import { expect, it } from 'vitest'
import { configurationText } from '../../../src/effects/starting/initialise.ts'
import { parseSettings } from '../../../src/effects/configuration/config.ts'
import { defaultSettings } from '../../../src/domain/settings/settings.ts'

const nothing = { target: 'main', verify: '', setup: '', agent: null }

it.each([
  ['main', 'npm test', 'npm ci', 'claude'],
  ['feature/#1', 'make check && cargo test', '', null],
  ['yes', 'echo "a: b" # not a comment', "sh -c 'true'", 'codex'],
  ['null', '- x', '{a}', null],
  ['a: b', 'trailing ', ' leading', null],
])('the first configuration holds exactly the answers %s, %s, %s, %s', (target, verify, setup, agent) => {
  const { settings, warnings } = parseSettings(configurationText({ target, verify, setup, agent }), 'config.yaml')
  expect(warnings).toEqual([])
  expect([settings.integration.target, settings.integration.verify]).toEqual([target, verify])
  expect([settings.worktrees.setup, settings.agents.default]).toEqual([setup, agent])
})

it('the first configuration changes no other setting than worktrees.perTask', () => {
  const { settings } = parseSettings(configurationText(nothing), 'config.yaml')
  expect(settings).toEqual({ ...defaultSettings, worktrees: { ...defaultSettings.worktrees, perTask: true } })
})
