import { describe, expect, it } from 'vitest'
import { callOf, isOwnTool } from '../../../src/agents/acp/call.ts'
import { Calls } from '../../../src/agents/acp/driver.ts'
import { wantedOf } from '../../../src/operations/requests/requests.ts'

const diff = { type: 'diff', path: '/repo/auth/login.txt', oldText: 'old\n', newText: 'new\n' }
const locations = [{ path: '/repo/auth/login.txt' }]

describe('a call of an ACP agent', () => {
  it('is a command only if the exact command is known', () => {
    const call = { title: 'npm test', kind: 'execute', rawInput: { command: 'npm test && rm x' } }
    expect(callOf(call, false)).toEqual({
      tool: 'shell',
      input: { command: 'npm test && rm x' },
      about: 'npm test && rm x',
    })
    expect(callOf({ title: 'npm test', kind: 'execute' }, true).tool).toBe('shell')
    const { tool } = callOf({ title: 'npm test', kind: 'execute' }, false)
    expect(wantedOf(tool, 'npm test').kind).toBe('tool')
  })

  it('is an edit of one file with its difference', () => {
    const edit = { kind: 'edit', title: 'Writing to login.txt', locations, content: [diff] }
    expect(callOf(edit, false)).toEqual({
      tool: 'edit',
      input: { file_path: '/repo/auth/login.txt', old_string: 'old\n', new_string: 'new\n' },
      about: '/repo/auth/login.txt',
    })
    // opencode repeats the name of the file in two forms.
    expect(callOf({ ...edit, rawInput: { filePath: 'login.txt' } }, false).input).toHaveProperty('file_path')
  })

  it('names no single file if it edits several, so that no rule for edits covers it', () => {
    for (const more of [
      { locations: [...locations, { path: '/etc/passwd' }] },
      { content: [diff, { ...diff, path: '/etc/passwd' }] },
      { rawInput: { file_path: '/etc/passwd' } },
    ]) {
      const { tool, input } = callOf({ kind: 'edit', title: 'an edit', locations, content: [diff], ...more }, false)
      expect([tool, input.file_path]).toEqual(['edit', undefined])
    }
    expect(callOf({ kind: 'delete', title: 'login.txt', locations }, false).input).toMatchObject({ action: 'delete' })
  })

  it('is any other tool by its name', () => {
    expect(callOf({ title: 'search (docs MCP Server)', kind: 'other' }, true).tool).toBe('mcp__docs__search')
    expect(callOf({ title: 'Shell', kind: 'other', _meta: { toolName: 'tool_call' } }, true).tool).toBe('tool_call')
    expect(callOf({}, true).tool).toBe('a tool')
  })

  it('needs no permission only for a tool of aiswarm', () => {
    for (const title of ['complete_task (aiswarm MCP Server)', 'aiswarm_complete_task', 'mcp__aiswarm__complete_task'])
      expect(isOwnTool({ title, kind: 'other' })).toBe(true)
    for (const call of [
      { title: 'complete_task (other MCP Server)', kind: 'other' },
      { title: 'aiswarm_complete_task', kind: 'execute' },
      { title: 'mcp__aiswarm__complete_task; rm -rf .', kind: 'other' },
      { title: 'aiswarm_x', kind: 'fetch' },
    ])
      expect(isOwnTool(call)).toBe(false)
  })

  it('is reported once, as soon as its subject is known', () => {
    const calls = new Calls(false)
    const began = { sessionUpdate: 'tool_call', toolCallId: '1', title: 'bash', kind: 'execute', rawInput: {} }
    expect(calls.know(began)).toBeUndefined()
    const known = { sessionUpdate: 'tool_call_update', toolCallId: '1', rawInput: { command: 'npm test' } }
    expect(calls.know(known)).toEqual({ is: 'call', call: '1', name: 'shell', about: 'npm test' })
    expect(calls.know({ ...known, status: 'completed' })).toBeUndefined()
  })
})
