import { describe, expect, it } from 'vitest'
import { protocolOf } from '../../../src/domain/host/remote.ts'

describe('the address of a git remote', () => {
  it.each([
    ['git@git.example.net:team/shop.git', 'ssh'],
    ['git.example.net:shop', 'ssh'],
    ['ssh://git@git.example.net:2222/shop', 'ssh'],
    ['https://git.example.net/shop.git', 'https'],
    ['http://127.0.0.1:8080/shop.git', 'http'],
    ['/srv/git/shop.git', 'file'],
    ['file:///srv/git/shop.git', 'file'],
  ])('%s is reached by %s', (url, protocol) => {
    expect(protocolOf(url)).toBe(protocol)
  })

  it.each([
    ['ext::sh -c evil', 'no address'],
    ['--upload-pack=evil', 'no address'],
    ['-oProxyCommand=evil:shop', 'no address'],
    ['http://git.example.net/shop', 'no address'],
    ['git://git.example.net/shop', 'no address'],
    ['shop', 'no address'],
    ['https://anna:secret@git.example.net/shop', 'contains a password'],
  ])('%s is refused', (url, why) => {
    expect(() => protocolOf(url)).toThrow(why)
  })
})
