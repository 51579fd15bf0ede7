import { LOCAL } from '../../../domain/host/host.ts'
import { changeHost } from '../../../operations/hosts/membership.ts'
import { forgetHost } from '../../../operations/failover/forget-host.ts'
import { type HostView, listHosts } from '../../../operations/hosts/list.ts'
import { loseHost, settleReturn } from '../../../operations/failover/lost-hosts.ts'
import type { Attention } from '../../../operations/screens/attention.ts'
import { perform } from '../../../operations/perform/perform.ts'
import { ask } from '../../actions/answers.ts'
import type { Controller } from '../../core/controller.ts'
import { topFor } from '../../core/layout.ts'
import { open } from '../../core/overlays.ts'
import { repeat } from '../../core/timers.ts'
import { type ConsoleState, changingView, type Transition } from '../../core/state.ts'
import type { Feed } from '../../core/registry.ts'
import { hostText } from '../../../text/hosts.ts'

/** The hosts of the board with a cursor. */
export interface HostsOverlay {
  readonly kind: 'hosts'
  readonly hosts: readonly HostView[]
  readonly at: number
  readonly top: number
}

/** How often the hosts are read while they are shown (ms). */
const OFTEN = 2000

export const openHosts = (controller: Controller): void =>
  controller.read(listHosts, {}, (hosts) => {
    if (hosts.length < 2) return controller.tell(hostText.alone)
    controller.change(open({ kind: 'hosts', hosts, at: 0, top: 0 }))
  })

/** Opens the hosts with the one of an inbox item selected. */
export const openReturned = (controller: Controller, item: Attention, before: Transition): void =>
  controller.read(listHosts, {}, (hosts) => {
    const at = Math.max(
      0,
      hosts.findIndex(({ name }) => name === item.host),
    )
    controller.change((state) => open({ kind: 'hosts', hosts, at, top: 0 })(before(state)))
  })

export const whyNotSettle = (state: ConsoleState): string | undefined => {
  const host = selected(state)
  return host === undefined || host.returned.length > 0 ? undefined : hostText.nothingBack(host.name)
}

export const settle = (controller: Controller): void => {
  const host = selected(controller.state())
  if (host !== undefined) controller.perform(settleReturn, { host: host.id }, ({ name }) => hostText.settled(name))
}

/** Reads the hosts while they are shown, because a heartbeat leaves no event. */
export const followHosts: Feed = ({ connection: { core, actor } }, store, careful) =>
  repeat(
    OFTEN,
    careful(async () => {
      if (store.getState().view.overlay?.kind !== 'hosts') return
      const hosts = await perform(core, listHosts, {}, actor)
      store.setState(
        (state) =>
          state.view.overlay?.kind === 'hosts'
            ? changingView(() => ({ overlay: { ...(state.view.overlay as HostsOverlay), hosts } }))(state)
            : state,
        true,
      )
    }),
  )

/** The selected host; a host may have left. */
export const hostAt = ({ hosts, at }: HostsOverlay): HostView | undefined => hosts[Math.min(at, hosts.length - 1)]

const selected = ({ view: { overlay } }: ConsoleState): HostView | undefined =>
  overlay?.kind === 'hosts' ? hostAt(overlay) : undefined

export const moveInHosts = (state: ConsoleState, overlay: HostsOverlay, by: number, height: number): ConsoleState => {
  const at = Math.max(0, Math.min(overlay.hosts.length - 1, overlay.at + by))
  const top = topFor(overlay.top, at, height, overlay.hosts.length)
  return changingView(() => ({ overlay: { ...overlay, at, top } }))(state)
}

export const selectHost = (state: ConsoleState, overlay: HostsOverlay, line: number): ConsoleState =>
  overlay.hosts[overlay.top + line - 1] === undefined || line < 1
    ? state
    : changingView(() => ({ overlay: { ...overlay, at: overlay.top + line - 1 } }))(state)

export const whyNotDrain = (state: ConsoleState): string | undefined => {
  const host = selected(state)
  return host === undefined || host.state === 'up' || host.state === 'draining'
    ? undefined
    : hostText.notDrain(host.name, host.state)
}

export const drainNow = (state: ConsoleState): string | undefined =>
  selected(state)?.state === 'draining' ? hostText.resume : undefined

/** Drains the selected host, or resumes it. */
export const drain = (controller: Controller): void => {
  const host = selected(controller.state())
  if (host === undefined) return
  const to = host.state === 'draining' ? 'resume' : 'drain'
  controller.perform(changeHost, { host: host.id, to }, ({ name, running }) =>
    to === 'drain' ? hostText.drained(name, running) : hostText.resumed(name),
  )
}

export const whyNotLose = (state: ConsoleState): string | undefined => {
  const host = selected(state)
  if (host === undefined) return undefined
  if (host.id === LOCAL) return hostText.notFirst(host.name)
  return host.state === 'lost' || host.state === 'gone' ? hostText.notLost(host.name, host.state) : undefined
}

export const lose = (controller: Controller): void => {
  const host = selected(controller.state())
  if (host === undefined) return
  ask(controller, () => ({
    lines: [hostText.asksLost(host.name), hostText.endsAgents(host.running), hostText.outOfReach],
    carryOut: (by) => by.perform(loseHost, { host: host.id }, ({ name, ended }) => hostText.lost(name, ended.length)),
  }))
}

export const whyNotForget = (state: ConsoleState): string | undefined => {
  const host = selected(state)
  return host?.id === LOCAL ? hostText.notForget(host.name) : undefined
}

export const forget = (controller: Controller): void => {
  const host = selected(controller.state())
  if (host === undefined) return
  ask(controller, () => ({
    lines: [hostText.asksForget(host.name), hostText.writesNothing],
    carryOut: (by) =>
      by.perform(forgetHost, { host: host.id }, ({ name, worktrees }) => hostText.forgotten(name, worktrees.length)),
  }))
}
