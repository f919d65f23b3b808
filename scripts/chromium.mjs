import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { env, platform } from 'node:process'

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome']

const places = {
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  win32: [env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA]
    .filter((folder) => folder !== undefined)
    .map((folder) => join(folder, 'Google', 'Chrome', 'Application', 'chrome.exe')),
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** For tests and benchmarks: works as root, and asks nobody on the network. */
export const chromiumArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** @returns {string | undefined} The Chrome or Chromium of this computer; CHROMIUM_PATH wins. */
export function findChromium() {
  if (env.CHROMIUM_PATH) return env.CHROMIUM_PATH
  const suffix = platform === 'win32' ? '.exe' : ''
  const folders = [...(env.PATH ?? '').split(delimiter), '/usr/bin', '/snap/bin'].filter((folder) => folder !== '')
  const onPath = names.flatMap((name) => folders.map((folder) => join(folder, name + suffix)))
  const usual = platform === 'darwin' || platform === 'win32' ? places[platform] : []
  return [...onPath, ...usual].find(isExecutable)
}
