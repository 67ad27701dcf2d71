import { expect, test } from 'vitest'
import { browserName, isInApp } from '../../lib/sign-in/requests/browsers.ts'

const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)'
const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)'

test.each([
  { name: 'Chrome on Windows', agent: `${WINDOWS} ${WEBKIT} Chrome/140.0.0.0 Safari/537.36` },
  {
    name: 'Edge on Windows',
    agent: `${WINDOWS} ${WEBKIT} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`,
  },
  {
    name: 'Opera on Windows',
    agent: `${WINDOWS} ${WEBKIT} Chrome/140.0.0.0 Safari/537.36 OPR/120.0.0.0`,
  },
  {
    name: 'Firefox on Windows',
    agent: `${WINDOWS.replace(')', '; rv:140.0)')} Gecko/20100101 Firefox/140.0`,
  },
  {
    name: 'Safari on Mac',
    agent:
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
  },
  {
    name: 'Chrome on iPhone',
    agent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1',
  },
  {
    name: 'Firefox on iPad',
    agent:
      'Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/140.0 Mobile/15E148 Safari/605.1.15',
  },
  {
    name: 'Samsung Internet on Android',
    agent: `Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
  },
  {
    name: 'Chrome on ChromeOS',
    agent: `Mozilla/5.0 (X11; CrOS x86_64) ${WEBKIT} Chrome/140.0 Safari/537.36`,
  },
  { name: 'Firefox', agent: 'Firefox/140.0' },
  { name: 'Unknown browser', agent: 'curl/8.5.0' },
  { name: 'Unknown browser', agent: '<script>' },
  { name: 'Unknown browser', agent: undefined },
])('$name is read from $agent', ({ name, agent }) => {
  expect(browserName(agent)).toBe(name)
})

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'
const ANDROID = `Mozilla/5.0 (Linux; Android 15; Pixel 9${WEBKIT}`

test.each([
  { what: 'a mail app on an iPhone', agent: `${IPHONE} Mobile/15E148`, isIn: true },
  {
    what: 'Gmail on an iPhone',
    agent: `${IPHONE} GSA/370.0 Mobile/15E148 Safari/604.1`,
    isIn: true,
  },
  { what: 'Instagram', agent: `${IPHONE} Mobile/15E148 Instagram 380.0 (iPhone16,1)`, isIn: true },
  {
    what: 'an Android WebView',
    agent: `Mozilla/5.0 (Linux; Android 15; Pixel 9; wv) ${WEBKIT} Version/4.0 Chrome/140.0 Mobile Safari/537.36`,
    isIn: true,
  },
  {
    what: 'Safari on an iPhone',
    agent: `${IPHONE} Version/18.5 Mobile/15E148 Safari/604.1`,
    isIn: false,
  },
  { what: 'Chrome on Android', agent: `${ANDROID} Chrome/140.0 Mobile Safari/537.36`, isIn: false },
  { what: 'Firefox on Windows', agent: `${WINDOWS} Gecko/20100101 Firefox/140.0`, isIn: false },
  { what: 'nothing', agent: undefined, isIn: false },
])('$what is inside of an app: $isIn', ({ agent, isIn }) => {
  expect(isInApp(agent)).toBe(isIn)
})
