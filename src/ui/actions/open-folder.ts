import { LOCAL } from '../../domain/host/host.ts'
import { sshTo } from '../../domain/host/ssh.ts'
import { type HostView, listHosts } from '../../operations/hosts/list.ts'
import { actionRefusals } from '../../text/panes.ts'
import type { Controller } from '../core/controller.ts'
import { worktreeAtHand } from '../core/selection.ts'
import type { ConsoleState } from '../core/state.ts'

// Opens a shell or an editor on a worktree: here, or on the host where it is.

/**
 * A worktree without a folder is never replaced by the main checkout, because a shell in another folder than expected
 * does harm.
 */
export const whyNoFolder = (state: ConsoleState): string | undefined => {
  const worktree = worktreeAtHand(state)
  if (worktree === undefined || (worktree.status === 'active' && worktree.folder === 'ready')) return undefined
  return worktree.status === 'active'
    ? actionRefusals.worktreeIsBuilt(worktree.name)
    : actionRefusals.noFolderAnyMore(worktree.name, worktree.status)
}

export const openShell = (controller: Controller): void =>
  openAt(controller, (folder) => controller.openShell(folder), 'shell')

export const openEditor = (controller: Controller): void =>
  openAt(controller, (folder) => controller.openEditor(folder), 'editor')

/** Opens the folder at hand here, or by SSH on the host where it is. */
const openAt = (controller: Controller, here: (folder: string) => void, there: 'shell' | 'editor'): void => {
  const worktree = worktreeAtHand(controller.state())
  const { root } = controller.connection.core
  if (worktree === undefined) return here(root)
  onItsHost(
    controller,
    worktree,
    () => here(worktree.path),
    ({ name, ssh }) => {
      if (ssh === null) return controller.tell(actionRefusals.isElsewhere(worktree.name, name), 'refused')
      controller.openTaken({ argv: sshTo(ssh, worktree.path, there), folder: root, environment: {} }, () => {})
    },
  )
}

/**
 * Does something on the host where a row lies: here, or there. Rows name no host while all of them are on the first one,
 * which may be another than this.
 */
export const onItsHost = (
  controller: Controller,
  { host }: { readonly host?: { readonly name: string } | undefined },
  here: () => void,
  there: (host: HostView) => void,
): void => {
  if (controller.connection.core.host === undefined) return here()
  controller.read(listHosts, {}, (hosts) => {
    const its = hosts.find(({ id, name }) => (host === undefined ? id === LOCAL : name === host.name))
    if (its === undefined || its.here) here()
    else there(its)
  })
}
