import { modeText } from '../../../text/keys.ts'
import { typingHints } from '../../../text/panes.ts'
import { by, type ListView, type TypedView } from '../../core/registry.ts'
import { typedLine, typedText } from '../../keys/typing.ts'
import { startConversationFeed } from './feed.ts'
import * as talkKeys from './conversation.ts'
import {
  foldAll,
  moveInConversation,
  selectPart,
  type TalkSearchOverlay,
  toggleFollow,
  toPart,
} from './conversation.ts'
import { conversationHeight, type ConversationOverlay, conversationWindow } from './window.ts'
import { type ConversationContents, nothingSaid } from './blocks.ts'

/** The conversation with one agent, or with all agents of a task. */
// prettier-ignore
export const conversation: ListView<ConversationOverlay, { readonly talk: ConversationContents }> = {
  kind: 'conversation',
  title: modeText.conversation,
  manner: 'reading',
  opens: [{ id: 'conversation', keys: ['c'], shown: 'c', footer: true, blocked: talkKeys.whyNotConversation, press: talkKeys.openConversation }],
  keys: [
    { id: 'next-part', keys: [']'], shown: ']', footer: true, press: by(toPart(1)) },
    { id: 'previous-part', keys: ['['], shown: '[', press: by(toPart(-1)) },
    { id: 'fold-part', keys: ['enter', ' '], shown: 'enter', footer: true, blocked: talkKeys.whyNotFold, press: talkKeys.unfoldOrAnswer },
    { id: 'fold-parts', keys: ['e'], shown: 'e', footer: true, press: by(foldAll) },
    { id: 'follow-talk', keys: ['f'], shown: 'f', footer: true, press: by(toggleFollow) },
    { id: 'search-talk', keys: ['/'], shown: '/', footer: true, press: talkKeys.typeSearch },
    { id: 'earlier-found', keys: ['n'], shown: 'n', blocked: talkKeys.whyNotFind, press: talkKeys.findInTalk('before') },
    { id: 'later-found', keys: ['N'], shown: 'N', blocked: talkKeys.whyNotFind, press: talkKeys.findInTalk('after') },
    { id: 'copy-part', keys: ['C'], shown: 'C', blocked: talkKeys.whyNotCopy, press: talkKeys.copyPart },
  ],
  also: ['say', 'take-over', 'fork', 'diff', 'shell', 'next', 'inbox', 'logs'],
  empty: { talk: nothingSaid },
  feed: startConversationFeed,
  window: conversationWindow,
  tall: conversationHeight,
  scroll: moveInConversation,
  click: selectPart,
  stays: true,
  hosts: true,
  subject: ({ talk }) => ({ agent: talk.runs.at(-1)?.agentId ?? null }),
}

/** Words to search in a conversation. */
// prettier-ignore
export const talkSearch: TypedView<TalkSearchOverlay> = {
  kind: 'talk-search',
  title: modeText['talk-search'],
  manner: 'typing',
  keys: [{ id: 'seek-talk', keys: ['enter'], shown: 'enter', footer: true, press: talkKeys.searchTalk }],
  empty: {},
  typed: typedLine(typingHints.findInTalk),
  edit: typedText,
  click: null,
}
