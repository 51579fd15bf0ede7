/**
 * Asks the terminal to copy a text to the clipboard (OSC 52), also over SSH. tmux accepts the plain form with
 * `set-clipboard`, and forwards its own passthrough, with every escape doubled, with `allow-passthrough`. It does not
 * report these settings, so both forms are sent: the same text twice does no harm.
 */
export const copySequence = (text: string, environment: Readonly<Record<string, string | undefined>>): string => {
  const plain = `\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`
  return environment['TMUX'] ? `${plain}\u001bPtmux;${plain.replaceAll('\u001b', '\u001b\u001b')}\u001b\\` : plain
}
