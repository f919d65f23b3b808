// Packs into a temporary folder, since both checkers would leave or delete a tarball of their own in this one.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { root } from './setup.mjs'

const folder = mkdtempSync(join(tmpdir(), 'handrail-'))
const shell = process.platform === 'win32'
try {
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder]
  execFileSync('npm', pack, { cwd: root, shell, stdio: ['ignore', 'ignore', 'inherit'] })
  const tarball = join(folder, readdirSync(folder)[0] ?? '')
  for (const args of [
    ['publint', tarball, '--strict'],
    ['attw', tarball, '--profile', 'esm-only'],
  ]) {
    const { status } = spawnSync('npx', ['--no-install', ...args], { cwd: root, shell, stdio: 'inherit' })
    if (status !== 0) process.exitCode = 1
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
