import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, test } from 'vitest'
import { isRefusal } from '../../../src/domain/rules/refusal.ts'
import { defaultMemoryConfig, readMemoryConfig } from '../../../src/memory/session-files/memory-config.ts'
import { SessionFileStore } from '../../../src/memory/session-files/store.ts'
import { temporaryFolder } from '../../support/core.ts'

let root: string
let store: SessionFileStore
const path = (name: string): string => join(root, '.serena/memories', name)

beforeEach(() => {
  root = temporaryFolder()
  store = new SessionFileStore(root, defaultMemoryConfig)
})

const codeOf = (work: () => unknown): string => {
  try {
    work()
    return 'done'
  } catch (error) {
    if (isRefusal(error)) return error.code
    throw error
  }
}

describe('the files of a session', () => {
  it('are written by their agent and read by everyone', () => {
    store.write('progress-backend.md', 'a', 'backend')
    store.edit('progress-backend.md', 'a', 'b', 'backend')
    expect(store.read('progress-backend.md')).toBe('b')
    expect(store.list()).toEqual([{ name: 'progress-backend.md', owner: 'backend' }])
    store.delete('progress-backend.md', 'backend')
    expect(store.list()).toEqual([])
  })

  it.each([
    'progress-backend.md',
    'result-backend.md',
    'result-backend-session-20260130-142233.md',
    'task-board.md',
    'orchestrator-session.md',
    'notes.md',
  ])('of other agents are refused, and do not change: %s', (name) => {
    mkdirSync(join(root, '.serena/memories'), { recursive: true })
    writeFileSync(path(name), 'theirs')
    for (const writer of ['frontend', 'backend-2', null]) {
      expect(codeOf(() => store.write(name, 'x', writer))).toBe('not_owner')
      expect(codeOf(() => store.edit(name, 'theirs', 'x', writer))).toBe('not_owner')
      expect(codeOf(() => store.delete(name, writer))).toBe('not_owner')
    }
    expect(readFileSync(path(name), 'utf8')).toBe('theirs')
  })

  it.each(['../x.md', '/etc/x.md', 'a b.md', 'x', '.hidden.md', 'progress-a/b.md', ''])(
    'have valid names: %j',
    (name) => {
      expect(codeOf(() => store.read(name))).toBe('invalid_name')
      expect(codeOf(() => store.write(name, 'x', 'backend'))).toBe('invalid_name')
    },
  )

  it('are edited only at a unique place', () => {
    store.write('progress-backend.md', 'one one', 'backend')
    expect(codeOf(() => store.edit('progress-backend.md', 'one', 'two', 'backend'))).toBe('invalid_input')
    expect(codeOf(() => store.edit('progress-backend.md', 'three', 'two', 'backend'))).toBe('not_found')
    expect(codeOf(() => store.edit('progress-backend.md', '', 'two', 'backend'))).toBe('not_found')
    expect(store.read('progress-backend.md')).toBe('one one')
  })

  it('keep text unchanged', () => {
    const text = '<script>eval("x")</script> ünïcode $& \\1\n'
    store.write('progress-backend.md', 'x', 'backend')
    store.edit('progress-backend.md', 'x', text, 'backend')
    expect(store.read('progress-backend.md')).toBe(text)
  })

  it('are refused if they would be too long', () => {
    expect(codeOf(() => store.write('progress-backend.md', 'x'.repeat(1 << 21), 'backend'))).toBe('invalid_input')
    expect(codeOf(() => store.read('progress-backend.md'))).toBe('not_found')
  })
})

describe('mcp.json', () => {
  const config = (text: string) => {
    writeFileSync(join(root, 'mcp.json'), text)
    return readMemoryConfig(root)
  }

  test('names the folder and the tools, and keeps its other entries', () => {
    expect(readMemoryConfig(root)).toEqual(defaultMemoryConfig)
    expect(
      config('// ours\n{"memoryConfig": {"basePath": "docs/m", "tools": {"read": "look"}}, "mcpServers": {}}'),
    ).toEqual({
      basePath: 'docs/m',
      tools: { ...defaultMemoryConfig.tools, read: 'look' },
    })
    expect(config('{}')).toEqual(defaultMemoryConfig)
  })

  test.each([
    ['{"memoryConfig": {"basePath": "../x"}}', /memoryConfig\.basePath: a path below the root/],
    ['{"memoryConfig": {"basePath": "/etc"}}', /memoryConfig\.basePath/],
    ['{"memoryConfig": {"tools": {"read": "a b"}}}', /memoryConfig\.tools\.read: a tool name is/],
    ['{"memoryConfig": {"tools": {"read": "write_memory"}}}', /two tools have the same name/],
    ['{', /is not valid JSON/],
  ])('with an error is refused with the key: %s', (text, message) => {
    expect(() => config(text)).toThrow(message)
  })
})
