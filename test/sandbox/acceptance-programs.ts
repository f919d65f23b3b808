/** Programs as models write them: bodies of an async function. The tools are those of `answers` in acceptance.test.ts. */
export const programs: Record<string, string> = {
  'a loop over ids': `const ids = ['O-1', 'O-2', 'O-3'];
const totals = [];
for (const id of ids) {
  const order = await tools.get_order({ id });
  totals.push(order.total);
}
return totals;`,
  'pages until there are no more': `let page = 1
let all = []
while (true) {
  const { orders, nextPage } = await tools.list_orders({ page })
  all = all.concat(orders)
  if (!nextPage) break
  page = nextPage
}
return all.map((o) => o.id)`,
  'pages with do and while': `const ids = [];
let page = 1;
do {
  const result = await tools.list_orders({ page });
  ids.push(...result.orders.map(o => o.id));
  page = result.nextPage;
} while (page !== null);
return { count: ids.length, ids };`,
  'all at once': `const ids = ['O-1', 'O-4', 'O-6'];
const orders = await Promise.all(ids.map((id) => tools.get_order({ id })));
return orders.reduce((sum, order) => sum + order.total, 0);`,
  'all at once, each with a second call': `const { orders } = await tools.list_orders({ page: 1 });
const rows = await Promise.all(orders.map(async (order) => {
  const customer = await tools.get_customer({ id: order.customer });
  return { id: order.id, name: customer.name };
}));
return rows;`,
  'what settled and what did not': `const results = await Promise.allSettled([
  tools.get_order({ id: 'O-1' }),
  tools.get_order({ id: 'missing' }),
  tools.get_order({ id: 'O-2' }),
]);
return results.map((r) => r.status === 'fulfilled' ? r.value.id : r.reason.code);`,
  'a retry in a loop': `let lastError;
for (let attempt = 1; attempt <= 3; attempt++) {
  try {
    const value = await tools.flaky({ key: 'a' });
    return { value, attempt };
  } catch (error) {
    lastError = error;
  }
}
throw lastError;`,
  'a retry as a function': `async function withRetry(fn, times = 3) {
  for (let i = 0; i < times; i++) {
    try {
      return await fn();
    } catch (e) {
      if (i === times - 1) throw e;
    }
  }
}
const first = await withRetry(() => tools.flaky({ key: 'x' }));
const second = await withRetry(() => tools.flaky({ key: 'y' }));
return [first, second];`,
  'an error that is told': `try {
  await tools.get_order({ id: 'nope' });
  return 'found';
} catch (error) {
  return \`failed: \${error.code}: \${error.message}\`;
} finally {
  print('done');
}`,
  'grouping with reduce': `const { orders } = await tools.list_orders({ page: 1 });
const byStatus = orders.reduce((groups, order) => {
  (groups[order.status] ??= []).push(order.id);
  return groups;
}, {});
return byStatus;`,
  'grouping with a map': `const { orders } = await tools.list_orders({ page: 1 });
const totals = new Map();
for (const { customer, total } of orders) {
  totals.set(customer, (totals.get(customer) ?? 0) + total);
}
return Object.fromEntries([...totals].sort((a, b) => b[1] - a[1]));`,
  'methods that copy': `const { orders } = await tools.list_orders({ page: 2 })
const sorted = orders.toSorted((a, b) => b.total - a.total)
return [sorted.at(-1).id, sorted.with(0, 'none')[0], orders.findLast((o) => o.total > 1).id, sorted.toReversed().length]`,
  'days between dates': `const { orders } = await tools.list_orders({ page: 1 });
const day = 24 * 60 * 60 * 1000;
const from = new Date('2026-03-01T00:00:00Z');
return orders.map(o => Math.round((new Date(o.due) - from) / day));`,
  'the last day of a month': `const order = await tools.get_order({ id: 'O-3' });
const due = new Date(order.due);
const end = new Date(Date.UTC(due.getUTCFullYear(), due.getUTCMonth() + 1, 0));
return end.toISOString().slice(0, 10);`,
  'a table as text': `const { orders } = await tools.list_orders({ page: 1 });
let report = '# Orders\\n\\n';
report += '| id | total |\\n|----|-------|\\n';
for (const o of orders) {
  report += \`| \${o.id} | \${o.total.toFixed(2)} |\\n\`;
}
return report;`,
  'a fence in a template': `const order = await tools.get_order({ id: 'O-1' });
return \`Here it is:
\\\`\\\`\\\`json
\${JSON.stringify(order)}
\\\`\\\`\\\`
That was all.\`;`,
  'a fence in strings': `const order = await tools.get_order({ id: 'O-2' });
const lines = ['\`\`\`', order.id, '\`\`\`'];
return lines.join('\\n');`,
  'helpers first': `const isLate = (order, now) => order.status === 'open' && order.due < now;
const label = ({ id, due }) => \`\${id} (\${due.slice(5, 10)})\`;

const { orders } = await tools.list_orders({ page: 1 });
const late = orders.filter((o) => isLate(o, '2026-03-05'));
return late.map(label).join(', ');`,
  'helpers last': `const { orders } = await tools.list_orders({ page: 1 });
return summary(orders);

function summary(list) {
  return { n: list.length, sum: sumOf(list) };
}
function sumOf(list) {
  return list.map((o) => o.total).reduce((a, b) => a + b, 0);
}`,
  'a class': `class Basket {
  #items = [];
  static empty() { return new Basket(); }
  add(item) { this.#items.push(item); return this; }
  get total() { return this.#items.reduce((sum, { total }) => sum + total, 0); }
  toJSON() { return { total: this.total }; }
}
const basket = Basket.empty();
for (const id of ['O-1', 'O-2']) basket.add(await tools.get_order({ id }));
return { total: basket.total };`,
  'a class that calls tools': `class Orders {
  cache = new Map();
  async get(id) {
    if (!this.cache.has(id)) this.cache.set(id, await tools.get_order({ id }));
    return this.cache.get(id);
  }
}
const orders = new Orders();
const a = await orders.get('O-1');
const b = await orders.get('O-1');
return a === b;`,
  'an early return': `const { orders } = await tools.list_orders({ page: 1 });
if (orders.length === 0) {
  return { error: 'no orders' };
}
const open = orders.filter(o => o.status === 'open');
if (open.length > 1) return { open: open.length };
await tools.update_order({ id: open[0].id, status: 'closed' });
return { closed: open[0].id };`,
  'awaits inside awaits': `const customer = await tools.get_customer({
  id: (await tools.get_order({ id: (await tools.list_orders({ page: 1 })).orders[0].id })).customer,
});
return customer.name;`,
  'destructuring with defaults': `const { orders: [first, , third = {}], nextPage: next = 0 } = await tools.list_orders({ page: 1 });
const { id, note = 'none', address: { city = 'unknown' } = {} } = first;
return { id, note, city, third: third.id, next };`,
  'optional chaining': `const order = await tools.get_order({ id: 'O-5' });
return [order.address?.city ?? 'n/a', order.items?.[0]?.sku, order.missing?.(), order?.total];`,
  'a generator': `function* chunks(list, size) {
  for (let i = 0; i < list.length; i += size) yield list.slice(i, i + size);
}
const ids = ['O-1', 'O-2', 'O-3', 'O-4', 'O-5'];
const out = [];
for (const chunk of chunks(ids, 2)) {
  const got = await Promise.all(chunk.map((id) => tools.get_order({ id })));
  out.push(got.map((o) => o.total));
}
return out;`,
  'an async generator': `async function* pages() {
  let page = 1;
  while (page) {
    const result = await tools.list_orders({ page });
    yield result.orders;
    page = result.nextPage;
  }
}
let count = 0;
for await (const orders of pages()) count += orders.length;
return count;`,
  'labelled loops': `const found = [];
outer: for (let page = 1; page <= 2; page++) {
  const { orders } = await tools.list_orders({ page });
  for (const order of orders) {
    if (order.status === 'closed') continue;
    found.push(order.id);
    if (found.length === 3) break outer;
  }
}
return found;`,
  'a regex with quotes': `const { text } = await tools.read_note({ name: 'quotes' });
const quoted = [...text.matchAll(/"([^"]*)"|'([^']*)'/g)].map((m) => m[1] ?? m[2]);
return quoted;`,
  'a regex with slashes': `const { text } = await tools.read_note({ name: 'links' });
return text.split(/\\r?\\n/).map(line => line.replace(/^https?:\\/\\/([^/]+)\\/.*$/, '$1')).filter(Boolean);`,
  'named groups': `const { text } = await tools.read_note({ name: 'dates' });
const pattern = /(?<year>\\d{4})-(?<month>\\d{2})-(?<day>\\d{2})/g;
const dates = [];
let match;
while ((match = pattern.exec(text)) !== null) {
  const { year, month, day } = match.groups;
  dates.push(\`\${day}.\${month}.\${year}\`);
}
return dates;`,
  'a switch': `const order = await tools.get_order({ id: 'O-4' });
let next;
switch (order.status) {
  case 'open':
    next = 'packed';
    break;
  case 'packed':
  case 'sent': {
    next = 'closed';
    break;
  }
  default:
    next = null;
}
return { was: order.status, next };`,
  'sorting and slicing': `const { orders } = await tools.list_orders({ page: 1 });
const top = [...orders]
  .sort((a, b) => b.total - a.total || a.id.localeCompare(b.id))
  .slice(0, 2)
  .map(({ id, total }) => ({ id, total }));
return top;`,
  sets: `const pages = await Promise.all([1, 2].map((page) => tools.list_orders({ page })));
const customers = new Set(pages.flatMap((p) => p.orders.map((o) => o.customer)));
return [...customers].sort();`,
  'money in cents': `const { orders } = await tools.list_orders({ page: 1 });
const cents = orders.reduce((sum, o) => sum + Math.round(o.total * 100), 0);
return (cents / 100).toFixed(2) + ' EUR';`,
  'writes one after the other': `const { orders } = await tools.list_orders({ page: 1 });
const done = [];
for (const { id, status } of orders) {
  if (status !== 'open') continue;
  const { ok } = await tools.update_order({ id, status: 'packed' });
  done.push([id, ok]);
}
return done;`,
  'a chain of then': `return tools.get_order({ id: 'O-1' })
  .then((order) => tools.get_customer({ id: order.customer }))
  .then((customer) => customer.name)
  .catch(() => 'unknown');`,
  'a catch in the midst': `const names = await Promise.all(['C-1', 'C-9'].map((id) =>
  tools.get_customer({ id }).then((c) => c.name).catch((e) => e.code)
));
return names;`,
  'at most two at once': `async function pool(items, size, work) {
  const results = new Array(items.length);
  let next = 0;
  async function worker() {
    while (next < items.length) {
      const i = next++;
      results[i] = await work(items[i]);
    }
  }
  await Promise.all(Array.from({ length: size }, worker));
  return results;
}
const ids = ['O-1', 'O-2', 'O-3', 'O-4'];
const orders = await pool(ids, 2, (id) => tools.get_order({ id }));
return orders.map((o) => o.id);`,
  'the first that is good': `const candidates = ['missing', 'O-2', 'O-3'];
let found = null;
for (const id of candidates) {
  const order = await tools.get_order({ id }).catch(() => null);
  if (order) { found = order; break; }
}
return found?.id ?? 'none';`,
  'tools by a computed name': `const kind = 'customer';
const result = await tools[\`get_\${kind}\`]({ id: 'C-2' });
return result.name;`,
  'tools under a name of their own': `const { get_order, get_customer } = tools;
const { customer } = await get_order({ id: 'O-2' });
const { name } = await get_customer({ id: customer });
return name;`,
  'text that is parsed': `const { text } = await tools.read_note({ name: 'csv' });
const [header, ...lines] = text.trim().split('\\n');
const keys = header.split(',');
return lines.map((line) => Object.fromEntries(line.split(',').map((v, i) => [keys[i], isNaN(v) ? v : Number(v)])));`,
  'JSON in a text': `const { text } = await tools.read_note({ name: 'json' });
const data = JSON.parse(text);
return Object.keys(data).sort().map((k) => k.toUpperCase() + '=' + data[k]);`,
  'quotes of all kinds': `const o = await tools.get_order({ id: "O-1" });
const a = 'it\\'s', b = "\\"so\\"", c = \`\${o.id}'s "total"\`;
return [a, b, c].join(' | ');`,
  'a backslash and a tab': `const { id } = await tools.get_order({ id: 'O-1' });
return ['C:\\\\temp\\\\' + id, 'a\\tb', \`x\\\\y\`];`,
  'comments of both kinds': `/* Sum up what
   is open. */
const { orders } = await tools.list_orders({ page: 1 }); // the first page
// only the open ones
const open = orders.filter((o) => o.status === 'open'); /* not closed */
return open.length; // done`,
  'comma and void': `let n = 0;
const touch = (id) => (n++, tools.get_order({ id }));
const order = await touch('O-6');
void 0;
return n === 1 ? order.id : undefined;`,
  'closures over a loop': `const jobs = [];
for (let i = 1; i <= 3; i++) jobs.push(() => tools.get_order({ id: 'O-' + i }));
const out = [];
for (const job of jobs) out.push((await job()).id);
return out;`,
  'a while with a counter': `let tries = 0;
let status = 'open';
while (status !== 'ready' && tries < 5) {
  ({ status } = await tools.poll({ job: 'j' }));
  tries += 1;
}
return { status, tries };`,
  recursion: `async function tree(id) {
  const { children } = await tools.children({ id });
  const below = await Promise.all(children.map(tree));
  return { id, below };
}
return await tree('root');`,
  'numbers and exponents': `const { orders } = await tools.list_orders({ page: 1 });
const mean = orders.reduce((s, o) => s + o.total, 0) / orders.length;
const variance = orders.reduce((s, o) => s + (o.total - mean) ** 2, 0) / orders.length;
return +Math.sqrt(variance).toFixed(3);`,
  'a semicolon at the start of a line': `const a = await tools.get_order({ id: 'O-1' })
const b = await tools.get_order({ id: 'O-2' })
;[a.total, b.total].sort()
return [a, b].map(({ id }) => id)`,
  'a race': `const winner = await Promise.race([
  tools.get_order({ id: 'O-1' }).then((o) => ['order', o.id]),
  tools.get_customer({ id: 'C-1' }).then((c) => ['customer', c.name]),
]);
return winner;`,
}
