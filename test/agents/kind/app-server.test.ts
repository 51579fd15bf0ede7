import { describe, expect, it } from 'vitest'
import { appServer, codexOpening, readAppServer } from '../../../src/agents/codex/app-server.ts'
import { CodexDriver } from '../../../src/agents/codex/driver.ts'

type Message = Readonly<Record<string, unknown>>
type Conversation = ReturnType<typeof conversation>

/** A conversation with Codex: the test says what Codex prints, in the shapes that codex 0.169.0 printed. */
const conversation = (resume: string | null = null, fork: string | null = null) => {
  const driver = new CodexDriver()
  const listen = appServer.listen()
  const sent: Message[] = []
  const heard: unknown[] = []
  const done = ({ send, note }: ReturnType<CodexDriver['take']>): void => {
    sent.push(...send.map((line) => JSON.parse(line) as Message))
    heard.push(...note.flatMap(listen))
  }
  const prints = (message: Message): void => {
    const step = driver.hear(JSON.stringify(message))
    done(step)
    if (step.keep !== false) heard.push(...listen(JSON.stringify(message)))
  }
  const last = (method: string): Message => sent.findLast((one) => one.method === method)!
  const answers = (method: string, result: unknown): void => prints({ id: last(method).id, result })
  done(driver.take(codexOpening({ resume, fork, thread: { cwd: '/repo', approvalPolicy: 'untrusted' } })))
  done(driver.take(appServer.say('prompt', 'the prompt', false)))
  return {
    driver,
    sent,
    heard,
    last,
    prints,
    answers,
    take: (line: string): void => done(driver.take(line)),
    open: (): void => {
      answers('initialize', {})
      answers(resume === null ? 'thread/start' : 'thread/resume', { thread: { id: 'thread-1' } })
    },
    begin: (): void => answers('turn/start', { turn: { id: 'turn-1' } }),
    reads: (clientId: string): void =>
      prints({ method: 'item/started', params: { item: { type: 'userMessage', clientId } } }),
    ends: (status = 'completed'): void =>
      prints({ method: 'turn/completed', params: { turn: { id: 'turn-1', status } } }),
    asks: (id: number, command: string): void =>
      prints({
        id,
        method: 'item/commandExecution/requestApproval',
        params: { command: `/bin/bash -lc '${command}'` },
      }),
  }
}

describe('a conversation with codex app-server', () => {
  it('begins with the prompt, whose id Codex repeats, and is over at the end of the turn', () => {
    const one = conversation()
    expect(one.sent.map(({ method }) => method)).toEqual(['initialize'])
    one.open()
    one.begin()
    one.reads('prompt')
    one.driver.end()
    expect(one.driver.over).toBe(false)
    one.ends()
    expect(one.sent.map(({ method }) => method)).toEqual(['initialize', 'initialized', 'thread/start', 'turn/start'])
    expect(one.heard).toEqual([{ kind: 'busy' }, { kind: 'seen', id: 'prompt' }, { kind: 'idle' }])
    expect(one.driver.over).toBe(true)
  })

  it('resumes a thread, and fails if it is lost', () => {
    const one = conversation('thread-0')
    one.answers('initialize', {})
    expect(one.last('thread/resume').params).toMatchObject({ threadId: 'thread-0', approvalPolicy: 'untrusted' })
    one.prints({ id: one.last('thread/resume').id, error: { code: -32600, message: 'no rollout found' } })
    expect([one.driver.failed, one.driver.over]).toEqual([true, true])
  })

  it('begins with a copy of a thread, works in the copy, and fails if the thread is lost', () => {
    const one = conversation(null, 'thread-0')
    one.answers('initialize', {})
    expect(one.last('thread/fork').params).toMatchObject({ threadId: 'thread-0', cwd: '/repo' })
    one.answers('thread/fork', { thread: { id: 'thread-2' } })
    expect(one.last('turn/start').params).toMatchObject({ threadId: 'thread-2' })
    const lost = conversation(null, 'thread-0')
    lost.answers('initialize', {})
    lost.prints({ id: lost.last('thread/fork').id, error: { code: -32600, message: 'no rollout found' } })
    expect(lost.driver.failed).toBe(true)
  })

  it('steers the turn with its id, also with words that come before the id', () => {
    const one = conversation()
    one.open()
    one.take(appServer.say('say-1', 'Early.', true))
    expect(one.last('turn/steer')).toBeUndefined()
    one.begin()
    one.take(appServer.say('say-2', 'Late.', true))
    const steers = one.sent.filter(({ method }) => method === 'turn/steer').map(({ params }) => params)
    expect(steers).toMatchObject([
      { clientUserMessageId: 'say-1', expectedTurnId: 'turn-1' },
      { clientUserMessageId: 'say-2', expectedTurnId: 'turn-1' },
    ])
  })

  it('says words in a turn of their own if the turn that they were for has ended', () => {
    const one = conversation()
    one.open()
    one.begin()
    one.take(appServer.say('say-1', 'Late.', true))
    one.ends()
    one.prints({ id: one.last('turn/steer').id, error: { code: -32600, message: 'no active turn' } })
    expect(one.last('turn/start').params).toMatchObject({ clientUserMessageId: 'say-1' })
  })

  it('begins the next turn after the end of the first, and is idle only after both', () => {
    const one = conversation()
    one.take(appServer.say('second', 'then this', false))
    one.open()
    one.begin()
    one.reads('prompt')
    one.heard.length = 0
    one.ends()
    expect(one.last('turn/start').params).toMatchObject({ clientUserMessageId: 'second' })
    // The second message was not read yet, and its turn runs.
    expect(one.heard).toEqual([{ kind: 'busy' }])
    one.begin()
    one.reads('second')
    one.ends()
    expect(one.heard).toEqual([{ kind: 'busy' }, { kind: 'seen', id: 'second' }, { kind: 'idle' }])
  })

  it('calls a message unread whose turn was refused', () => {
    const one = conversation()
    one.open()
    one.prints({ id: one.last('turn/start').id, error: { code: -32000, message: 'busy' } })
    expect(one.heard).toEqual([{ kind: 'busy' }, { kind: 'unread', id: 'prompt' }, { kind: 'idle' }])
  })

  it('begins a turn with words that came before the id of one that was refused', () => {
    const one = conversation()
    one.open()
    one.take(appServer.say('early', 'and this', true))
    one.prints({ id: one.last('turn/start').id, error: { code: -32000, message: 'busy' } })
    expect(one.last('turn/start').params).toMatchObject({ clientUserMessageId: 'early' })
  })

  it('asks, answers once, and gives the words of a denial within the turn', () => {
    const one = conversation()
    one.open()
    one.begin()
    one.asks(7, 'npm test')
    one.asks(7, 'npm test')
    expect(one.heard.at(-1)).toEqual({
      kind: 'asks',
      call: '7',
      tool: 'shell',
      input: { command: 'npm test', cwd: '' },
    })
    const denial = appServer.answer('7', { allowed: false, message: 'Use pnpm.' }, 'words', undefined)
    one.take(denial)
    one.take(denial)
    expect(one.sent.filter(({ id }) => id === 7)).toEqual([{ id: 7, result: { decision: 'decline' } }])
    expect(one.last('turn/steer').params).toMatchObject({ clientUserMessageId: 'words' })
    one.asks(8, 'npm test')
    one.ends('interrupted')
    one.take(appServer.answer('8', { allowed: true, input: {} }, 'words', undefined))
    expect(one.sent.filter(({ id }) => id === 8)).toEqual([])
  })

  it.each([
    [
      'was answered',
      (one: Conversation) => one.take(appServer.answer('7', { allowed: true, input: {} }, 'words', undefined)),
    ],
    [
      'was withdrawn',
      (one: Conversation) => one.prints({ method: 'serverRequest/resolved', params: { requestId: 7 } }),
    ],
    ['belongs to an ended turn', (one: Conversation) => one.ends()],
  ])('never allows another command with the id of a question that %s', (_, passes) => {
    const one = conversation()
    one.open()
    one.begin()
    one.asks(7, 'npm test')
    passes(one)
    const before = one.heard.length
    one.asks(7, 'rm -rf .')
    one.take(appServer.answer('7', { allowed: true, input: {} }, 'words', undefined))
    expect(one.sent.filter(({ id }) => id === 7).at(-1)).toMatchObject({ id: 7, error: { code: -32600 } })
    expect(one.heard).toHaveLength(before)
  })

  it('asks for a host of the network, which no rule for commands covers', () => {
    const one = conversation()
    one.open()
    one.begin()
    one.prints({
      id: 7,
      method: 'item/commandExecution/requestApproval',
      params: {
        command: "/bin/bash -lc 'npm ci'",
        networkApprovalContext: { host: 'registry.example', protocol: 'https' },
      },
    })
    expect(one.heard.at(-1)).toMatchObject({ tool: 'network', input: { host: 'registry.example', command: 'npm ci' } })
  })

  it('asks for an edit with its difference, and names no file if there are several', () => {
    const one = conversation()
    one.open()
    one.begin()
    const change = (path: string) => ({ path, kind: { type: 'add' }, diff: '+a' })
    const asks = (id: number, ...changes: object[]): unknown => {
      one.prints({ method: 'item/started', params: { item: { type: 'fileChange', id: `item-${id}`, changes } } })
      one.prints({ id, method: 'item/fileChange/requestApproval', params: { itemId: `item-${id}` } })
      return one.heard.at(-1)
    }
    expect(asks(1, change('/repo/a'))).toMatchObject({ tool: 'edit', input: { file_path: '/repo/a', diff: '+a' } })
    expect(asks(2, change('/repo/a'), change('/etc/b'))).not.toHaveProperty('input.file_path')
  })

  it('interrupts a turn and keeps the thread, and refuses what it does not serve', () => {
    const one = conversation()
    one.open()
    one.take(appServer.stop('stop-1'))
    one.begin()
    expect(one.last('turn/interrupt').params).toEqual({ threadId: 'thread-1', turnId: 'turn-1' })
    one.ends('interrupted')
    expect(one.heard).toContainEqual({ kind: 'seen', id: 'stop-1', over: true })
    one.prints({ id: 'x', method: 'item/tool/requestUserInput', params: {} })
    expect(one.sent.at(-1)).toMatchObject({ id: 'x', error: { code: -32601 } })
  })
})

describe('a line of codex app-server', () => {
  const read = (message: Message) => readAppServer(JSON.stringify(message))

  it('contains the tokens of the thread and the context', () => {
    const tokenUsage = {
      total: { inputTokens: 2000, outputTokens: 100, cachedInputTokens: 5 },
      last: { totalTokens: 1050 },
      modelContextWindow: 258400,
    }
    expect(read({ method: 'thread/tokenUsage/updated', params: { tokenUsage } })).toEqual([
      { kind: 'usage', of: 'session', tokensIn: 2000, tokensOut: 100, tokensCached: 5, costUsd: null },
      { kind: 'context', tokens: 1050, window: 258400 },
    ])
  })

  it('contains calls, words and failures', () => {
    const item = { type: 'commandExecution', id: '1', command: "/bin/bash -lc 'npm test'" }
    expect(read({ method: 'item/started', params: { item } })).toEqual([
      { kind: 'tool', name: 'shell', about: 'npm test', call: '1' },
    ])
    const words = { type: 'agentMessage', text: 'Finished.' }
    expect(read({ method: 'item/completed', params: { item: words } })).toEqual([{ kind: 'text', text: 'Finished.' }])
    const turn = { status: 'failed', error: { message: 'unexpected status 401 Unauthorized' } }
    expect(read({ method: 'turn/completed', params: { turn } }).map(({ kind }) => kind)).toEqual([
      'unauthorized',
      'ended',
    ])
    const server = { name: 'aiswarm', status: 'failed', error: 'no such file' }
    expect(read({ method: 'mcpServer/startupStatus/updated', params: server })).toMatchObject([{ kind: 'no_server' }])
  })

  it.each(['', '{', '[]', '{"id":1}', '{"method":"item/started"}', '{"method":"turn/completed"}', '{"aiswarm":7}'])(
    'does not fail if it is damaged: %j',
    (damaged) => {
      expect(readAppServer(damaged).every(({ kind }) => kind === 'ended')).toBe(true)
    },
  )
})
