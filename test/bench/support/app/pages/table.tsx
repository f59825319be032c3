import Decimal from 'decimal.js';
import Handlebars from 'handlebars/dist/handlebars.js';
import { produce } from 'immer';
import * as immutable from 'immutable';
import * as yaml from 'js-yaml';
import * as _ from 'lodash-es';
import { useState } from 'react';

interface Row { name: string; price: string }

const ROWS: Row[] = _.times(20, (i: number) => ({ name: `row ${i}`, price: String(i * 1.1) }));
const line = Handlebars.compile('{{name}}: {{price}}');

export default function Table() {
  const [rows, setRows] = useState(ROWS);
  const sum = rows.reduce((all, { price }) => all.plus(price), new Decimal(0));
  const groups = immutable.Seq(rows).groupBy(({ price }) => price.length).toJS();
  const raise = (index: number) => setRows((before) => produce(before, (draft) => {
    draft[index].price = new Decimal(draft[index].price).times(2).toString();
  }));
  return (
    <section>
      <table><tbody>{rows.map((row, i) => (
        <tr key={row.name} onClick={() => raise(i)}><td>{line(row)}</td></tr>
      ))}</tbody></table>
      <p>{sum.toFixed(2)}</p>
      <pre>{yaml.dump(groups)}</pre>
    </section>
  );
}

// For the console.
Object.assign(globalThis, { _, immutable });
