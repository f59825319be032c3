// import 'profilyfill/measure-memory/auto'

import { install } from '../measure-memory.js';

install();
