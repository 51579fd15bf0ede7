import { type TestContext, test } from 'vitest'
import { parse } from 'yaml'
import { connect, type McpClient } from '../mcp/client.ts'
import { enter, escape, generous, openShop, type Screen, type Shop } from './pty.ts'

/** A console that starts nothing by itself, and a person's own agent that has claimed one of its tasks. */
const open = async (
  context: TestContext,
  config = '# no key\n',
): Promise<{ shop: Shop; screen: Screen; agent: McpClient }> => {
  const shop = openShop(context, { config })
  const screen = await shop.console({ columns: 200 })
  screen.press('p')
  await screen.until('‖ paused')
  const { id } = await shop.answer<{ id: number }>('task', 'add', 'Sell more', '--persona', 'implementer')
  const agent = await join(shop, 'backend-1')
  await agent.call('claim_task', { taskId: id })
  await screen.until(/▸ +1 .*◐ claimed .*backend-1 .*Sell more/)
  return { shop, screen, agent }
}

const join = async (shop: Shop, id: string): Promise<McpClient> => {
  const { token } = await shop.answer<{ token: string }>('agent', 'register', id, '--persona', 'implementer')
  return connect(shop.root, {
    apart: true,
    environment: { AISWARM_AGENT_ID: id, AISWARM_AGENT_TOKEN: token, AISWARM_ROOT: shop.root, ...shop.store },
  })
}

/** Like Claude Code before it uses a tool. */
const wants = (agent: McpClient, tool: string, input: Record<string, string>, call = 'toolu_1') =>
  waits(agent.call('request_permission', { tool_name: tool, input, tool_use_id: call }))

const asks = (agent: McpClient, question: string, options: string[] = []) =>
  waits(agent.call('ask_human', { question, options }))

/** A story that fails in the middle reports its own failure, not that of an unanswered call. */
const waits = <T>(call: Promise<T>): Promise<T> => {
  call.catch(() => {})
  return call
}

const edit = { file_path: 'src/price.ts', old_string: 'price = 5', new_string: 'price = 4' }

/** The board and the header show that an agent asks, and `w` shows the question. */
const look = async (screen: Screen, title: string): Promise<void> => {
  await screen.until(/⚑ +1 .*\? needs you .*Sell more/)
  await screen.until('⚑ 1 needs you')
  screen.press('w')
  await screen.until(title)
}

test('a person allows an agent to edit a file once, and both see it', generous, async (context) => {
  const { shop, screen, agent } = await open(context)
  const verdict = wants(agent, 'Edit', edit)
  await screen.until(/\? backend-1 .*asks Edit: src\/price\.ts/)
  await look(screen, 'backend-1 asks for permission')
  await screen.until(/tool +Edit/)
  await screen.until(/Details[^]*src\/price\.ts[^]*Change[^]*-price = 5[^]*\+price = 4/)

  // Enter is not a confirmation, and neither is a y that came together with the previous key.
  screen.press(enter)
  await screen.until('asks for permission. Allow or deny it.')
  screen.press(escape)
  await screen.lacks('backend-1 asks for permission')
  await screen.until('[1 Board]')
  screen.press('wy')
  await screen.until(/expires +in \d+m/)
  context.expect(await shop.answer('request', 'list')).toMatchObject([{ status: 'open', answer: null }])

  screen.press('y')
  context.expect(await verdict).toEqual({ isError: false, behavior: 'allow', updatedInput: edit })
  await screen.until('Allowed backend-1 to use Edit once.')
  await screen.until(/[●\u2800-\u28ff] backend-1 .*allowed Edit ✓/)
  await screen.until(/ 1 .*◐ claimed .*Sell more/)
  await screen.lacks('1 needs you')

  // Allowing it once does not allow it the next time.
  const again = wants(agent, 'Edit', edit, 'toolu_2')
  await look(screen, 'backend-1 asks for permission')
  screen.press('n')
  context.expect(await again).toMatchObject({
    isError: false,
    behavior: 'deny',
    message: context.expect.stringContaining('A person denied this') as string,
  })
  await screen.until('Denied backend-1 the use of Edit.')
  await screen.until(/[●\u2800-\u28ff] backend-1 .*denied Edit ✓/)
  screen.press('q')
  context.expect(await screen.ended()).toBe(0)
})

test(
  'a permission that is always allowed becomes a rule in the configuration, which keeps its comments, and is not asked again',
  generous,
  async (context) => {
    const config =
      '# what our agents may do\nagents:\n  # the makers\n  personas:\n    implementer: claude # the good one\nintegration:\n  target: main # never another\n'
    const { shop, screen, agent } = await open(context, config)
    const verdict = wants(agent, 'Bash', { command: 'npm test -- --run' })
    await look(screen, 'backend-1 asks for permission')
    await screen.until(/a allows +shell\(npm test\)/)
    context.expect(shop.read('.aiswarm/config.yaml')).toBe(config)

    screen.press('a')
    context
      .expect(await verdict)
      .toMatchObject({ isError: false, behavior: 'allow', updatedInput: { command: 'npm test -- --run' } })
    await screen.until('shell(npm test) is always allowed for implementer; the rule goes into .aiswarm/config.yaml.')
    await screen.until(/[●\u2800-\u28ff] backend-1 .*allowed Bash ✓/)
    const written = shop.read('.aiswarm/config.yaml')
    context.expect(parse(written)).toEqual({
      agents: { personas: { implementer: { kind: 'claude', allow: ['shell(npm test)'] } } },
      integration: { target: 'main' },
    })
    for (const comment of ['# what our agents may do', '# the makers', '# never another'])
      context.expect(written).toContain(comment)

    context.expect(await wants(agent, 'Bash', { command: 'npm test' }, 'toolu_2')).toMatchObject({ behavior: 'allow' })
    context.expect(await shop.answer('request', 'list')).toEqual([])

    // A command that no rule can describe is asked for each time.
    const both = wants(agent, 'Bash', { command: 'npm test && npm publish' }, 'toolu_3')
    await look(screen, 'backend-1 asks for permission')
    await screen.until('npm test && npm publish')
    screen.press('a')
    await screen.until('No rule can describe this request. Allow it once, or deny it.')
    screen.press('n')
    context.expect(await both).toMatchObject({ behavior: 'deny' })
    context.expect(shop.read('.aiswarm/config.yaml')).toBe(written)
  },
)

test('a question is answered in words, and the agent continues with them', generous, async (context) => {
  const { screen, agent } = await open(context)
  const answer = asks(agent, 'Which database do we sell from?')
  await screen.until(/\? backend-1 .*asks: Which database/)
  await look(screen, 'backend-1 asks a question')
  await screen.until(/Question[^]*Which database do we sell from\?/)
  screen.press('y')
  await screen.until('is a question. Answer it in words.')
  screen.press(enter)
  await screen.until('Answer: Which database do we sell from?')
  screen.press('SQLite, as yet')
  await screen.until(/Answer +SQLite, as yet/)
  screen.press(enter)
  context.expect(await answer).toMatchObject({
    isError: false,
    status: 'answered',
    answer: 'SQLite, as yet',
    instructions: 'Continue with this answer.',
  })
  await screen.until('Answered backend-1: SQLite, as yet')
  await screen.until(/[●\u2800-\u28ff] backend-1 .*answered ✓/)

  const choice = asks(agent, 'Red or blue?', ['Red', 'Blue'])
  await look(screen, 'backend-1 asks a question')
  await screen.until(/1\. Red[^]*2\. Blue/)
  screen.press(enter)
  await screen.until('Answer: Red or blue?')
  screen.press(enter)
  await screen.until('Choose an answer')
  screen.press('b')
  await screen.until('◂ Blue ▸')
  screen.press(enter)
  context.expect(await choice).toMatchObject({ status: 'answered', answer: 'Blue' })

  const left = asks(agent, 'Tabs or spaces?')
  await screen.until(/\? backend-1 .*asks: Tabs or spaces/)
  screen.press('w')
  await screen.until(/Question[^]*Tabs or spaces\?/)
  screen.press('n')
  await screen.until('backend-1 decides.')
  context.expect(await left).toMatchObject({
    status: 'answered',
    answer: context.expect.stringContaining('Decide, or fail the task') as string,
  })
})

test('two agents ask at once, and each gets its own answer', generous, async (context) => {
  const { shop, screen, agent } = await open(context)
  const other = await join(shop, 'other-1')
  const mine = wants(agent, 'Edit', edit)
  await screen.until('⚑ 1 needs you')
  const theirs = wants(other, 'Bash', { command: 'npm publish' })
  await screen.until('⚑ 2 need you')
  screen.press('4')
  await screen.until('[4 Worktrees]')
  screen.press('w')
  await screen.until('backend-1 asks for permission')
  screen.press(escape)
  await screen.lacks('backend-1 asks for permission')
  await screen.until('[4 Worktrees]')
  screen.press('w')
  await screen.until('other-1 asks for permission')
  screen.press('n')
  context.expect(await theirs).toMatchObject({ behavior: 'deny' })
  context.expect(await shop.answer('request', 'list')).toMatchObject([{ agentId: 'backend-1', status: 'open' }])
  await screen.until('⚑ 1 needs you')

  // A person answers the last one on the command line while it is shown here.
  await screen.until('[4 Worktrees]')
  screen.press('2')
  await screen.until('[2 Agents]')
  screen.press('g' + enter)
  await screen.until('backend-1 asks for permission')
  const line = shop.start(['request', 'answer', '1', '--allow', '--root', shop.root])
  await line.until("Allow it once? Type the agent's id, backend-1:")
  line.press(`backend-1${enter}`)
  context.expect(await line.ended()).toBe(0)
  context.expect(await mine).toMatchObject({ behavior: 'allow' })
  await screen.until(/ … allowed +esc back/)
  screen.press('n')
  await screen.until('Request 1 is closed: it was allowed.')
  context
    .expect(await shop.answer('request', 'list', '--all'))
    .toMatchObject([{ status: 'allowed' }, { status: 'denied' }])
})
