/* eslint-disable no-control-regex -- what goes to the terminal is what this is about */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, expect, test, vi } from 'vitest'
import { connect, type McpClient } from '../mcp/client.ts'
import { escape, generous, openShop, type Shop } from './pty.ts'

const joins = async (shop: Shop, id: string, title: string): Promise<McpClient> => {
  const task = await shop.answer<{ id: number }>('task', 'add', title, '--persona', 'implementer')
  const { token } = await shop.answer<{ token: string }>('agent', 'register', id, '--persona', 'implementer')
  const agent = await connect(shop.root, { environment: { AISWARM_AGENT_ID: id, AISWARM_AGENT_TOKEN: token, AISWARM_ROOT: shop.root } })
  await agent.call('claim_task', { taskId: task.id })
  return agent
}

/** As Claude Code asks before it uses a tool; nobody may answer it. */
const wants = (agent: McpClient, command: string) => {
  const call = agent.call('request_permission', { tool_name: 'Bash', input: { command }, tool_use_id: 'toolu_1' })
  call.catch(() => {})
  return call
}

test('two agents ask: the terminal rings and notifies, the inbox lists both, and one answer to both reaches both', generous, async (context: TestContext) => {
  const shop = openShop(context, { config: 'notify: {command: "printf \'%s\\n\' {text} >> heard"}\n' })
  const screen = await shop.console({ columns: 160, rows: 40 })
  screen.press('p')
  await screen.until('‖ paused')
  const first = await joins(shop, 'backend-1', 'Sell more')
  const second = await joins(shop, 'backend-2', 'Sell most')
  await screen.until(/backend-2 .*Sell most/)
  expect(screen.written()).not.toContain('\u001b]9;')

  const answers = [wants(first, 'npm test $(touch owned)'), wants(second, 'npm run lint')]
  await screen.until('⚑ 2 wait for you')
  await vi.waitFor(() => expect(screen.written()).toMatch(/\u0007[^]*\u001b\]9;aiswarm: [^\u001b]*backend-\d asks to use Bash/), { timeout: 20_000 })
  expect(screen.written()).toMatch(/\u001b\]777;notify;aiswarm;[^\u001b]*backend-\d asks to use Bash/)
  await vi.waitFor(() => expect(readFileSync(join(shop.root, 'heard'), 'utf8')).toContain('asks to use Bash: npm'), { timeout: 20_000 })
  expect(existsSync(join(shop.root, 'owned'))).toBe(false)

  screen.press('W')
  await screen.until(/\[Waiting for you\][^]*backend-1 asks to use Bash: npm test[^]*backend-2 asks to use Bash: npm run lint/)
  // They are not alike, so each is marked by itself.
  screen.press(' j ')
  await screen.until('2 marked')
  screen.press('n')
  await screen.until(/Denies these 2:[^]*backend-1 asks to use Bash: npm test \$\(touch owned\)[^]*backend-2/)
  screen.press('y')
  for (const answer of answers) expect(await answer).toMatchObject({ behavior: 'deny' })
  await screen.until(/✓ denied, told backend-1 \d\d:\d\d:\d\d[^]*✓ denied, told backend-2 \d\d:\d\d:\d\d/)
  screen.press(escape)
  await screen.until('[1 Board]')
  await screen.lacks('⚑ 2')
})
