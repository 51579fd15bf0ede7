/* oxlint-disable no-control-regex -- what goes to the terminal is what this is about */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type TestContext, expect, test } from 'vitest'
import { HASTE } from '../../src/ui/views/inbox/inbox.ts'
import { connect, type McpClient } from '../mcp/client.ts'
import { eventually } from '../support/eventually.ts'
import { escape, generous, openShop, type Shop } from './pty.ts'

const joins = async (shop: Shop, id: string, title: string): Promise<McpClient> => {
  const task = await shop.answer<{ id: number }>('task', 'add', title, '--persona', 'implementer')
  const { token } = await shop.answer<{ token: string }>('agent', 'register', id, '--persona', 'implementer')
  const agent = await connect(shop.root, {
    apart: true,
    environment: { AISWARM_AGENT_ID: id, AISWARM_AGENT_TOKEN: token, AISWARM_ROOT: shop.root, ...shop.store },
  })
  await agent.call('claim_task', { taskId: task.id })
  return agent
}

/** Like Claude Code before it uses a tool; the request may stay unanswered. */
const wants = (agent: McpClient, command: string) => {
  const call = agent.call('request_permission', { tool_name: 'Bash', input: { command }, tool_use_id: 'toolu_1' })
  call.catch(() => {})
  return call
}

test(
  'two agents ask: the terminal rings and notifies, the inbox lists both, and one answer reaches both',
  generous,
  async (context: TestContext) => {
    const shop = openShop(context, { config: 'notify: {command: "printf \'%s\\n\' {text} >> heard"}\n' })
    const screen = await shop.console({ columns: 160, rows: 40 })
    screen.press('p')
    await screen.until('‖ paused')
    const first = await joins(shop, 'backend-1', 'Sell more')
    const second = await joins(shop, 'backend-2', 'Sell most')
    await screen.until(/backend-2 .*Sell most/)
    expect(screen.written()).not.toContain('\u001b]9;')

    // While a view covers the panes, no row is visible.
    screen.press('L')
    await screen.until('Logs of all agents')
    // One after the other, because the inbox lists the oldest item first.
    const answers = [wants(first, 'npm test $(touch owned)')]
    await screen.until('⚑ 1 needs you')
    answers.push(wants(second, 'npm run lint'))
    await screen.until('⚑ 2 need you')
    await eventually(() =>
      expect(screen.written()).toMatch(/\u0007[^]*\u001b\]9;aiswarm: [^\u001b]*backend-\d asks to use Bash/),
    )
    expect(screen.written()).toMatch(/\u001b\]777;notify;aiswarm;[^\u001b]*backend-\d asks to use Bash/)
    await eventually(() => expect(readFileSync(join(shop.root, 'heard'), 'utf8')).toContain('asks to use Bash: npm'))
    expect(existsSync(join(shop.root, 'owned'))).toBe(false)

    screen.press(escape)
    await screen.until('[1 Board]')
    screen.press('W')
    await screen.until(/\[Inbox\][^]*backend-1 asks to use Bash: npm test[^]*backend-2 asks to use Bash: npm run lint/)
    // They are not alike, so each is marked separately.
    screen.press(' j ')
    await screen.until('2 marked')
    screen.press('n')
    await screen.until(/Denies these 2:[^]*backend-1 asks to use Bash: npm test \$\(touch owned\)[^]*backend-2/)
    screen.press('y')
    for (const answer of answers) expect(await answer).toMatchObject({ behavior: 'deny' })
    await screen.until(
      /✓ denied, reported to backend-1 \d\d:\d\d:\d\d[^]*✓ denied, reported to backend-2 \d\d:\d\d:\d\d/,
    )
    screen.press(escape)
    await screen.until('[1 Board]')
    await screen.lacks('⚑ 2')
  },
)

test(
  'one inbox lists every item that waits, shows its evidence, and drops what was settled elsewhere',
  { timeout: 2 * generous.timeout },
  async (context: TestContext) => {
    const config =
      'session: {maxRetries: 0}\nlease: {stalledAfter: 3s}\nintegration: {target: main, verify: "grep -q shop README.md"}\n'
    const shop = openShop(context, { files: { 'README.md': 'a shop\n', '.aiswarm/config.yaml': config } })
    for (const name of ['greet', 'bad', 'slow']) await shop.worktree(name)
    await shop.add('Say hello', 'echo hi > hi.txt', '--worktree', 'greet')
    await shop.add('Say nothing', 'echo none > README.md', '--worktree', 'bad')
    await shop.add('Break it', 'test -e fixed || { echo it is broken >&2; exit 7; }')
    await shop.add('Take long', 'sleep 300', '--worktree', 'slow')
    const screen = await shop.console({ columns: 160, rows: 50 })
    await screen.until(/ 1 .*✓ done .*Say hello/)
    await screen.until(/ 2 .*✓ done .*Say nothing/)
    for (const name of ['greet', 'bad']) await shop.answer('worktree', 'request', name)
    await screen.until('⚑ 4 need you')

    screen.press('W')
    await screen.until(/◍ stalled .*task 4 shows no progress[^]*Take long; claimed by implementer-\d, attempt 1/)
    await screen.until(/⚑ approval .*greet is ready to merge into main[^]*grep -q shop README\.md passed/)
    await screen.until(/✗ verification .*the verification of bad failed[^]*grep -q shop README\.md: exit code 1/)
    await screen.until(
      /✗ failed .*task 3 failed: .*exit code 7: it is broken[^]*Break it; after one attempt; no retries left/,
    )
    const { attention } = await shop.answer<{ attention: readonly { kind: string }[] }>('status')
    context.expect(attention.map(({ kind }) => kind)).toEqual(['stalled', 'approve', 'unverified', 'failed'])

    // An integration has a view of its own.
    screen.press('jy')
    await screen.until('to review the commits; y there approves exactly these.')
    shop.write({ fixed: '' })
    await shop.answer('task', 'retry', '3')
    await screen.lacks('it is broken')
    await screen.until('⚑ 3 need you')
    await shop.answer('task', 'cancel', '4')
    await screen.lacks('shows no progress')
    await screen.until('⚑ 2 need you')

    // A person checks git's configuration before anything is integrated.
    await shop.add('Meddle', 'git config core.fsmonitor ./evil.sh', '--worktree', 'slow')
    await eventually(async () => expect(await shop.answer('task', 'show', '5')).toMatchObject({ status: 'completed' }))
    await shop.answer('worktree', 'request', 'bad')
    await screen.until(/! configuration .*the configuration of the repository has changed/)
    screen.press('g')
    await screen.until(/▸ +! configuration/)
    // An earlier answer is refused, because no person can have read the question.
    await pause(2 * HASTE)
    screen.press('y')
    await screen.until('+ config core.fsmonitor = ./evil.sh')
    screen.press('y')
    await screen.until(/✓ The configuration is accepted; integrations continue\. \d\d:\d\d:\d\d/)
    await screen.until(/▸ +⚑ approval/)
    screen.press('i')
    await screen.until('[Integrate greet')
    screen.press(escape)
    await screen.until('[Inbox]')
    screen.press(escape)
    await screen.until('[1 Board]')
    screen.press('q')
    context.expect(await screen.ended()).toBe(0)
  },
)
