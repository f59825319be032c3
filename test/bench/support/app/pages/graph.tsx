import * as force from 'd3-force';
import { hierarchy, treemap } from 'd3-hierarchy';
import { useEffect, useState } from 'react';
import * as rx from 'rxjs';

interface Node { id: number; x?: number; y?: number }

const NODES: Node[] = Array.from({ length: 50 }, (_, id) => ({ id }));

export default function Graph() {
  const [nodes, setNodes] = useState<Node[]>([]);
  useEffect(() => {
    const simulation = force.forceSimulation(NODES).force('charge', force.forceManyBody()).stop();
    const steps = rx.interval(50).pipe(
      rx.take(100), rx.tap(() => simulation.tick()), rx.map(() => [...NODES]), rx.retry(2));
    const subscription = steps.subscribe(setNodes);
    return () => subscription.unsubscribe();
  }, []);
  const root = treemap().size([200, 200])(hierarchy({ children: nodes }).sum(({ id }: Node) => id));
  return (
    <svg viewBox="-100 -100 300 300">
      {nodes.map(({ id, x, y }) => <circle key={id} cx={x} cy={y} r={3} />)}
      {root.leaves().map((leaf: any, i: number) => <rect key={i} x={leaf.x0} y={leaf.y0} />)}
    </svg>
  );
}

// What an app says of its operators to those who look into it.
Object.assign(globalThis, { rx });
