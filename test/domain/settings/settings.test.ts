import { expect, test } from 'vitest'
import { defaultSettings } from '../../../src/domain/settings/settings.ts'
import { kindFor } from '../../../src/domain/settings/persona-settings.ts'
import { settingsWith } from '../../support/core.ts'

const settings = settingsWith({
  agents: {
    default: 'claude',
    personas: {
      reviewer: { kind: 'codex', args: [], approvals: 'ask', allow: [] },
      tester: { model: 'small', args: [], approvals: 'ask', allow: [] },
    },
    names: { backend: 'qwen' },
  },
})

test("the kind is chosen first by the agent's name, with or without -agent", () => {
  expect(kindFor(settings, 'reviewer', 'backend')).toBe('qwen')
  expect(kindFor(settings, 'reviewer', 'backend-agent')).toBe('qwen')
  expect(kindFor(settings, 'reviewer', 'backend-agents')).toBe('codex')
})

test('the kind is chosen next by the persona, then by the default', () => {
  expect(kindFor(settings, 'reviewer')).toBe('codex')
  expect(kindFor(settings, 'tester')).toBe('claude')
  expect(kindFor(settings, 'implementer', 'implementer-1')).toBe('claude')
})

test('no kind is chosen without a configuration', () => {
  expect(kindFor(defaultSettings, 'implementer')).toBeNull()
})

test('the names of built-in properties are not configured names', () => {
  expect(kindFor(settings, 'constructor', 'toString')).toBe('claude')
  expect(kindFor(settings, '__proto__', '__proto__')).toBe('claude')
})

test('the default settings are the documented ones', () => {
  expect(defaultSettings.session).toEqual({
    maxParallel: 3,
    maxRetries: 2,
    pollInterval: 30_000,
    maxOpenTasks: 100,
    logLimit: 64 * 1024 ** 2,
    freeDisk: 1024 ** 3,
    freeMemory: 256 * 1024 ** 2,
  })
  expect(defaultSettings.lease).toEqual({
    ttl: 60_000,
    heartbeat: 10_000,
    stalledAfter: 300_000,
    terminateGrace: 10_000,
  })
  expect(defaultSettings.integration).toEqual({
    target: 'main',
    verify: '',
    approval: 'human',
    tests: null,
    pass: [],
    watchCheckout: true,
  })
  expect(defaultSettings.worktrees).toMatchObject({
    path: '../{name}',
    setup: '',
    setupTimeout: 600_000,
    teardown: '',
    teardownTimeout: 120_000,
    ports: [41_000, 41_999],
    retention: 14 * 86_400_000,
  })
})
