import { LOCAL } from '../../domain/host/host.ts'
import { type HostView, listHosts } from '../../operations/hosts/list.ts'
import type { Controller } from '../core/controller.ts'

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
