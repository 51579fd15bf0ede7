import { type AnyView, makeTable } from '../core/registry.ts'
import { paneRows, sharedRows } from '../actions/keys.ts'
import { budget } from './budget/view.ts'
import { commands } from './commands/view.ts'
import { conversation, talkSearch } from './conversation/view.ts'
import { confirm } from './confirm/view.ts'
import { detail } from './detail/view.ts'
import { filter, savedFilters } from './filter/view.ts'
import { form } from './form/view.ts'
import { guard } from './guard/view.ts'
import { help, helpSearch } from './help/view.ts'
import { hosts } from './hosts/view.ts'
import { inbox } from './inbox/view.ts'
import { logs, logSearch } from './logs/view.ts'
import { memory, memorySearch, record } from './memory/view.ts'
import { answer, palette } from './palette/view.ts'
import { mail } from './mail/view.ts'
import { checkout, moved } from './moved/view.ts'
import { past } from './past/view.ts'
import { plots } from './plots/view.ts'
import { race } from './race/view.ts'
import { radar } from './radar/view.ts'
import { request } from './request/view.ts'
import { settings } from './settings/view.ts'
import { approval, search, verification } from './review/view.ts'

/** Every view over the panes, in the order of the help. No other file lists them. */
// prettier-ignore
export const views = [
  detail, conversation, approval, verification, request, radar, race, guard, moved, checkout, mail, inbox, hosts, budget, commands, memory, record, plots, logs, past, settings,
  confirm, help, palette, answer, search, memorySearch, logSearch, talkSearch, helpSearch, filter, savedFilters, form,
] as const

type Listed = (typeof views)[number]

/** The front view's state, derived from the rows of the list. */
export type ViewOverlay = Listed extends infer Row
  ? Row extends { readonly overlay?: infer Own }
    ? NonNullable<Own>
    : never
  : never

/** The parts of the state that belong to views. */
export type ViewContents = Intersection<
  Listed extends infer Row ? (Row extends { readonly empty: infer Contents } ? Contents : never) : never
>

type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never

/** Each row is given only what is in front of its own kind. */
export const table = makeTable([...paneRows, ...sharedRows], views as unknown as readonly AnyView[])

export const emptyContents = Object.assign({}, ...views.map(({ empty }) => empty)) as ViewContents
