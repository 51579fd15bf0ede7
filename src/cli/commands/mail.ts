import { Refusal } from '../../domain/rules/refusal.ts'
import { listMail, markMailRead } from '../../operations/messages/inbox.ts'
import { act, perform } from '../../operations/perform/perform.ts'
import { type Command, does, open, performs } from '../call/command.ts'
import { mailText, messageList } from '../print/messages.ts'
import { text } from '../call/values.ts'
import { argument, flag, naming } from '../call/words.ts'

/** Messages of agents to the person. */
export const mailCommands: readonly Command[] = [
  performs({
    path: 'mail list',
    words: { all: flag('--all', 'Also messages that are read') },
    operation: listMail,
    input: ({ all }) => ({ all }),
    text: messageList,
    example: 'mail list',
  }),
  does({
    path: 'mail read',
    summary: 'Print the unread messages of an agent to you, and mark them as read',
    words: { id: naming('agents', argument('AGENT', 'Agent that wrote them', text)) },
    run: async ({ id }, call) => {
      const connection = await open(call)
      const unread = await perform(connection.core, listMail, {}, connection.actor)
      const messages = unread.filter(({ author }) => author === id)
      if (messages.length === 0)
        throw new Refusal('not_found', `There is no unread message of ${id}. 'aiswarm mail list' lists them.`)
      await act(connection, markMailRead, { agentId: id, upTo: messages.at(-1)!.id })
      return { json: messages, text: mailText(messages) }
    },
    example: 'mail read implementer-1',
  }),
]
