// docs/configuration.md is generated from the comment of each key.

/** `auto` confines where the machine can, `required` starts nothing without it, `off` confines nothing. */
export const sandboxModes = ['auto', 'required', 'off'] as const
export type SandboxMode = (typeof sandboxModes)[number]

/** `open` is the network of the machine, `allowlist` reaches `sandbox.hosts` only, `none` nothing but itself. */
export const networks = ['open', 'allowlist', 'none'] as const
export type Network = (typeof networks)[number]

/** How the kernel confines what aiswarm starts (docs/sandbox.md). */
export interface SandboxSettings {
  /** `auto` confines where the machine can, `required` starts nothing without it, `off` confines nothing. `sandbox: required` is short for it. */
  readonly mode: SandboxMode
  /** Further files and folders that are writable inside, such as `~/.npm`. */
  readonly write: readonly string[]
  /** Further files and folders that are readable inside, such as `~/.npmrc`. */
  readonly read: readonly string[]
  /** Further files and folders that are hidden inside. */
  readonly hide: readonly string[]
  /** Whether the main checkout and other worktrees are readable inside. */
  readonly others: 'read' | 'hide'
  /** `open` is the network of the machine, `allowlist` reaches `sandbox.hosts` and the model of the CLI only, `none` nothing but itself. */
  readonly network: Network
  /** Hosts that `allowlist` reaches: `registry.npmjs.org`, `*.example.com`; with a port for a service of your own network, `localhost:4873`. */
  readonly hosts: readonly string[]
}

export const defaultSandbox: SandboxSettings = {
  mode: 'auto',
  write: [],
  read: [],
  hide: [],
  others: 'read',
  network: 'open',
  hosts: [],
}
