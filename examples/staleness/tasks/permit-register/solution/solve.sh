#!/bin/bash
cp /solution/permits.json /app/permits.json
